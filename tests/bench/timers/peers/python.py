"""timers, by Python's asyncio. A call that was cancelled is only marked, and removed later."""

import asyncio
import random
import sys
import time


async def sleeper(sleeps: int, shortest: int) -> None:
    for _ in range(sleeps):
        await asyncio.sleep((shortest + random.randrange(shortest)) * 1e-6)


async def sleep(count: int, sleeps: int, shortest: int) -> None:
    tasks = [asyncio.create_task(sleeper(sleeps, shortest)) for _ in range(count)]
    began = time.process_time_ns()
    await asyncio.gather(*tasks)
    print(f"{(time.process_time_ns() - began) / (count * sleeps):.3f}")


async def cancel(count: int, rounds: int) -> None:
    took = 0
    for _ in range(rounds):
        loop = asyncio.get_running_loop()
        calls = [loop.call_later(3600 * (1 + random.random()), print) for _ in range(count)]
        random.shuffle(calls)
        began = time.process_time_ns()
        for call in calls:
            call.cancel()
        took += time.process_time_ns() - began
        await asyncio.sleep(0)
    print(f"{took / (count * rounds):.3f}")


if sys.argv[1] == "cancel":
    asyncio.run(cancel(int(sys.argv[2]), int(sys.argv[3])))
else:
    asyncio.run(sleep(*map(int, sys.argv[2:5])))
