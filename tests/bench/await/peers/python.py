"""await, by Python's coroutines; the loop of asyncio has no part in it."""

import asyncio
import sys
import time

awaited = 0


async def child(number: int) -> int:
    return number


async def parent(count: int) -> None:
    global awaited
    for _ in range(count):
        awaited += await child(1)


async def fibonacci(n: int) -> int:
    global awaited
    awaited += 1
    if n < 2:
        return n
    return await fibonacci(n - 1) + await fibonacci(n - 2)


async def main(what: str, number: int) -> None:
    began = time.process_time_ns()
    await (parent(number) if what == "children" else fibonacci(number))
    print(f"{(time.process_time_ns() - began) / awaited:.3f}")


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
