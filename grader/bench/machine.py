"""What the figures were measured on and with."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path
from typing import Dict



def machine() -> Dict[str, str]:
    cpu = re.search(r"^model name\s*: (.*)$", _read("/proc/cpuinfo"), re.MULTILINE)
    memory = re.search(r"^MemTotal: *(\d+) kB", _read("/proc/meminfo"), re.MULTILINE)
    system = re.search(r'^PRETTY_NAME="(.*)"$', _read("/etc/os-release"), re.MULTILINE)
    return {
        "processor": cpu[1] if cpu else platform.machine(),
        "cores": str(len(os.sched_getaffinity(0))),
        "memory": f"{int(memory[1]) / 2**20:.0f} GiB" if memory else "unknown",
        "kernel": re.sub(r"[^\d.].*", "", platform.release()),
        "system": system[1] if system else "unknown",
        "C library": " ".join(platform.libc_ver()),
    }


def load_average() -> float:
    return os.getloadavg()[0]


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
