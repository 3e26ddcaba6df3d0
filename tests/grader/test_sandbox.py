"""grader/sandbox.py: what a program inside can see, use up, and leave behind. Nothing of it is simulated."""

from __future__ import annotations

import ctypes
import dataclasses
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Iterator

import pytest

from grader.descendants import children_of
from grader.exit_codes import KitFailed
from grader.processes import Ended, run_program
from grader.rubric import read_rubric
from grader.sandbox import Sandbox, network_of_our_own, require_reach, require_sandbox

SANDBOX = Sandbox(
    dataclasses.replace(read_rubric().limits, memory_mib=200, processes=16, file_mib=8, open_files=64)
)

# Asked of bubblewrap itself: were it asked of ours, a broken one would pass by being skipped.
_PROBE = ["bwrap", "--ro-bind", "/", "/", "--unshare-user", "--unshare-pid", "--unshare-net", "true"]
pytestmark = pytest.mark.skipif(
    shutil.which("bwrap") is None or subprocess.run(_PROBE, check=False).returncode != 0,
    reason="bubblewrap does not work on this machine",
)


@pytest.fixture
def folder() -> Iterator[Path]:
    """One that a program inside can be lent; pytest's own are closed to other users."""
    with tempfile.TemporaryDirectory(prefix="lab-test-") as name:
        SANDBOX.lend(Path(name))
        yield Path(name)


def run_inside(text: str, sandbox: Sandbox = SANDBOX, seconds: float = 20, **how: Any) -> Ended:
    return run_program(
        sandbox.command(["/usr/bin/python3", "-S", "-c", text], **how),
        seconds=seconds,
        environment=sandbox.environment,
        memory_limit=sandbox.memory_bytes,
    )


def test_the_system_is_there_and_nothing_else(folder: Path) -> None:
    (folder / "secret").write_text("of somebody else's", encoding="utf-8")
    ended = run_inside("import os; print(sorted(os.listdir('/')), os.listdir('/tmp'), os.getcwd())")
    seen = ended.output
    assert ended.returncode == 0
    for name in ("home", "root", "var", "work", "srv", "boot", "sys", "run"):
        assert f"'{name}'" not in seen
    assert seen.rstrip().endswith("[] /tmp")
    assert "No such file" in run_inside(f"open({str(folder / 'secret')!r})").output
    for name in ("shadow", "passwd"):
        assert "No such file" in run_inside(f"open('/etc/{name}')").output


def test_what_is_lent_can_be_read_and_not_written(folder: Path) -> None:
    (folder / "file").write_text("hello", encoding="utf-8")
    path = str(folder / "file")
    assert run_inside(f"print(open({path!r}).read())", read=[folder]).output == "hello\n"
    assert "Read-only" in run_inside(f"open({path!r}, 'w')", read=[folder]).output
    SANDBOX.lend(folder, writable=True)
    new = str(folder / "new")
    assert run_inside(f"open({new!r}, 'w').write('x')", write=[folder]).returncode == 0
    assert (folder / "new").read_text(encoding="utf-8") == "x"


@pytest.mark.parametrize("place", ["/", "/usr", "/dev", "/dev/shm", "/etc", "/proc"])
def test_no_other_place_can_be_written(place: str) -> None:
    ended = run_inside(f"open('{place}/lab-was-here', 'w')")
    assert ended.returncode != 0
    assert not Path(place, "lab-was-here").exists()
    assert "Error: [Errno" in ended.output  # and nothing else went wrong


def test_nobody_is_root_inside() -> None:
    text = "import os; print(os.getuid(), [l for l in open('/proc/self/status') if 'CapEff' in l])"
    ended = run_inside(text)
    assert not ended.output.startswith("0 ")
    assert "0000000000000000" in ended.output


def test_processes_outside_are_out_of_sight() -> None:
    text = "import os; print([n for n in os.listdir('/proc') if n.isdigit()])"
    assert run_inside(text).output == "['1', '2']\n"
    assert "No such process" in run_inside(f"import os; os.kill({os.getpid()}, 9)").output


def test_the_network_leads_nowhere() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        text = f"import socket; socket.create_connection(('127.0.0.1', {port}), 2)"
        assert "refused" in run_inside(text).output
        assert "unreachable" in run_inside(text.replace("127.0.0.1", "192.0.2.1")).output
        assert run_inside(text, own_network=False).returncode == 0


def test_a_shared_network_is_only_the_checks_own() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        text = f"import socket; socket.create_connection(('127.0.0.1', {port}), 2)"
        ended = run_program(network_of_our_own(["/usr/bin/python3", "-S", "-c", text]), seconds=20)
    assert "refused" in ended.output


def test_everything_ends_with_the_program(folder: Path) -> None:
    SANDBOX.lend(folder, writable=True)
    alive = str(folder / "alive")
    text = f"""
import os, signal, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            open({alive!r}, 'w').write('x')
            time.sleep(0.01)
    os._exit(0)
while not os.path.exists({alive!r}): time.sleep(0.01)
"""
    before = children_of(os.getpid())
    ended = run_inside(text, write=[folder])
    assert ended.returncode == 0
    end = time.monotonic() + 5  # the kernel may need a moment
    while (folder / "alive").exists() and time.monotonic() < end:
        (folder / "alive").unlink()
        time.sleep(0.2)  # who lives writes it again, 20 times
    assert not (folder / "alive").exists()
    assert children_of(os.getpid()) == before


# Writes a file anew for ever.
_LIVES = "import time\nwhile True:\n  open({path!r}, 'w').write('x')\n  time.sleep(0.01)"


def test_everything_ends_with_who_has_started_it(folder: Path) -> None:
    SANDBOX.lend(folder, writable=True)
    alive = folder / "alive"
    inside = ["/usr/bin/python3", "-S", "-c", _LIVES.format(path=str(alive))]
    starter = subprocess.Popen(
        [sys.executable, "-c", "import subprocess, sys; subprocess.run(sys.argv[1:])",
         *SANDBOX.command(inside, write=[folder])],
    )  # fmt: skip
    end = time.monotonic() + 20
    while not alive.exists() and time.monotonic() < end:
        time.sleep(0.01)
    assert alive.exists()
    starter.kill()
    starter.wait()
    end = time.monotonic() + 5
    while alive.exists() and time.monotonic() < end:
        alive.unlink()
        time.sleep(0.2)
    assert not alive.exists()


def test_a_fork_bomb_stays_small() -> None:
    text = "import os, time\nwhile True:\n  try: os.fork()\n  except OSError: time.sleep(0.01)"
    began = time.monotonic()
    ended = run_inside(text, seconds=1)
    assert ended.timed_out
    assert time.monotonic() - began < 5


def test_memory_is_bounded() -> None:
    ended = run_inside("x = []\nwhile True: x.append(bytearray(1 << 20))", seconds=20)
    assert ended.over_memory and not ended.timed_out


def test_memory_is_bounded_for_all_processes_together() -> None:
    text = "import os, time\nfor i in range(3): os.fork()\nx = bytearray(40 << 20)\ntime.sleep(20)"
    assert run_inside(text, seconds=20).over_memory


def test_files_are_bounded() -> None:
    text = "f = open('/tmp/x', 'wb')\nwhile True: f.write(bytes(1 << 20))"
    assert run_inside(text).returncode != 0
    text = "for i in range(20): open(f'/tmp/{i}', 'wb').write(bytes(1 << 20))"
    assert "No space" in run_inside(text).output


def test_a_file_in_a_lent_folder_is_bounded(folder: Path) -> None:
    SANDBOX.lend(folder, writable=True)
    path = folder / "large"
    ended = run_inside(f"open({str(path)!r}, 'wb').write(bytes(9 << 20))", write=[folder])
    assert ended.returncode != 0
    assert path.stat().st_size == 8 << 20


def test_open_files_are_bounded() -> None:
    text = "import resource as r; print(r.getrlimit(r.RLIMIT_NOFILE), r.getrlimit(r.RLIMIT_CORE))"
    assert run_inside(text).output == "(64, 64) (0, 0)\n"


def test_nothing_is_shared_with_others() -> None:
    """Memory by System V, and the machine's name."""
    libc = ctypes.CDLL(None)
    segment = libc.shmget(0, 4096, 0o600)
    try:
        text = "import os; print(len(open('/proc/sysvipc/shm').readlines()), os.uname().nodename)"
        assert run_inside(text).output == "1 lab\n"
    finally:
        libc.shmctl(segment, 0, None)


def test_a_kit_below_usr_is_hidden() -> None:
    text = "import os; print(os.listdir('/usr/share'))"
    hiding = dataclasses.replace(SANDBOX, hidden=(Path("/usr/share"), Path("/srv")))
    assert run_inside(text, hiding).output == "[]\n"
    assert run_inside(text).output != "[]\n"


@pytest.mark.skipif(SANDBOX.user is None, reason="only root's grader is another user")
def test_what_is_taken_back_cannot_be_changed(folder: Path) -> None:
    SANDBOX.lend(folder, writable=True)
    text = f"open({str(folder / 'program')!r}, 'w').write('x')"
    assert run_inside(text, write=[folder]).returncode == 0
    SANDBOX.take_back(folder)
    assert "Permission denied" in run_inside(text, write=[folder]).output


def test_bubblewraps_words_alone_are_no_failure_of_the_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert not SANDBOX.has_failed("bwrap: printed by a submission")
    monkeypatch.setenv("PATH", "/nowhere")
    assert SANDBOX.has_failed("bwrap: not there")
    assert not SANDBOX.has_failed("anything else")


def test_a_folder_out_of_reach_is_the_machines_failure(folder: Path) -> None:
    require_reach(SANDBOX, folder)
    with pytest.raises(KitFailed, match="TMPDIR"):
        require_reach(SANDBOX, folder / "nowhere")


def test_processor_time_is_bounded() -> None:
    limits = dataclasses.replace(SANDBOX.limits, cpu_seconds=1)
    ended = run_inside("while True: pass", Sandbox(limits), seconds=20)
    assert not ended.timed_out and ended.returncode != 0


def test_limits_cannot_be_raised_again() -> None:
    text = "import resource as r\nr.setrlimit(r.RLIMIT_NOFILE, (100000, 100000))"
    assert "not allowed to raise" in run_inside(text).output


def test_a_sandbox_in_the_sandbox_is_refused() -> None:
    text = "import os; os.execvp('unshare', ['unshare', '-Ur', 'true'])"
    assert run_inside(text).returncode != 0


def test_without_bubblewrap_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(KitFailed, match="--no-sandbox"):
        require_sandbox(SANDBOX)
    require_sandbox(dataclasses.replace(SANDBOX, enabled=False))
