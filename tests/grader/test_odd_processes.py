"""What runs elsewhere on the machine, under whatever name, costs no test its verdict."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Iterator

import pytest

from grader.descendants import children_of
from tests.e2e import process_facts

RENAMES_ITSELF = """
import ctypes, time
ctypes.CDLL(None).prctl(15, b"\\xff) R \\xfe\\n 1", 0, 0, 0)
print("renamed", flush=True)
time.sleep(60)
"""


@pytest.fixture
def odd_process() -> Iterator["subprocess.Popen[bytes]"]:
    process = subprocess.Popen([sys.executable, "-S", "-c", RENAMES_ITSELF], stdout=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.readline() == b"renamed\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_a_name_of_any_bytes(odd_process: "subprocess.Popen[bytes]") -> None:
    assert process_facts.processes_of([], os.getpid()) == [odd_process.pid]
    assert children_of(os.getpid()) == [odd_process.pid]
    assert process_facts.context_switches(odd_process.pid) > 0
    assert process_facts.anonymous_memory(odd_process.pid) > 0
