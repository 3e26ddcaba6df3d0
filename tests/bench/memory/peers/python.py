"""memory, of Python's asyncio tasks."""

import asyncio
import re
import sys
from pathlib import Path


def resident_bytes() -> int:
    found = re.search(r"^Rss: *(\d+) kB", Path("/proc/self/smaps_rollup").read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1]) * 1024


async def sleeper(wake: asyncio.Event, number: int) -> int:
    await wake.wait()
    return number


async def main(count: int) -> None:
    before = resident_bytes()
    wake = asyncio.Event()
    tasks = [asyncio.create_task(sleeper(wake, number)) for number in range(count)]
    await asyncio.sleep(0)
    print(f"{(resident_bytes() - before) / count:.3f}")
    wake.set()
    await asyncio.gather(*tasks)


asyncio.run(main(int(sys.argv[1])))
