"""spawn, by Python's asyncio."""

import asyncio
import sys
import time

BATCH = 1000


async def adder(number: int) -> int:
    return number


async def main(rounds: int) -> None:
    total = 0
    began = time.process_time_ns()
    for _ in range(rounds):
        tasks = [asyncio.create_task(adder(1)) for _ in range(BATCH)]
        total += sum(await asyncio.gather(*tasks))
    print(f"{(time.process_time_ns() - began) / total:.3f}")


asyncio.run(main(int(sys.argv[1])))
