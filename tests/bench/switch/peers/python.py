"""switch, by Python's asyncio."""

import asyncio
import sys
import time


async def turner(first: bool, turns: int, times: "list[int]") -> None:
    if first:
        times.append(time.process_time_ns())
    for _ in range(turns):
        await asyncio.sleep(0)
    if first:
        times.append(time.process_time_ns())


async def main(tasks: int, turns: int) -> None:
    times: "list[int]" = []
    await asyncio.gather(*(turner(number == 0, turns, times) for number in range(tasks)))
    print(f"{(times[1] - times[0]) / (tasks * turns):.3f}")


asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))
