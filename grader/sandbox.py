"""Where everything of a submission's is compiled and run: bubblewrap, around each program anew.

A program sees the system read-only, its own files, a /tmp of its own, a network of its own that leads
nowhere, and no process but those it started; all of these end with it. It is never root: root's
grader runs it as `nobody`. bwrap(1) tells what each option does.
"""

from __future__ import annotations

import dataclasses
import functools
import os
import shutil
import subprocess
from pathlib import Path
from typing import Dict, List, Optional, Sequence

from grader.exit_codes import KitFailed
from grader.other_user import as_user
from grader.rubric import Limits

NOBODY = 65534  # user and group, on every Linux
_MIB = 1024 * 1024

# What a compiler and a C program need of /etc.
_ETC = ("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "hosts", "nsswitch.conf")

_ADVICE = """\
Submissions are other people's programs: they are compiled and run in a sandbox only, which this machine \
does not allow:
  bwrap: {words}
What may help:
  - install bubblewrap: ./lab setup
  - Ubuntu 24.04 and later: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0
  - Debian: sudo sysctl kernel.unprivileged_userns_clone=1
  - in a container: run it with --privileged, or grade in a virtual machine
  - --no-sandbox, where the machine itself is thrown away afterwards, or the submission is your own: it \
then runs with {rights}, and can read, change and send whatever that user can"""


@dataclasses.dataclass(frozen=True)
class Sandbox:
    limits: Limits
    enabled: bool = True  # False: programs run like any other, within `limits` as far as possible
    hidden: Sequence[Path] = ()  # folders that nobody inside may see, should they be below /usr

    @property
    def user(self) -> Optional[int]:
        """Whom programs run as; None: as we do."""
        return NOBODY if os.getuid() == 0 else None

    @property
    def environment(self) -> Dict[str, str]:
        """In the place of the user's own."""
        return {"HOME": "/tmp", "TMPDIR": "/tmp", "PATH": "/usr/bin:/bin"} if self.enabled else {}

    @property
    def memory_bytes(self) -> int:
        return int(self.limits.memory_mib * _MIB)

    def has_failed(self, output: str) -> bool:
        """Whether what a program seems to have printed was the sandbox' own complaint."""
        is_complaint = output.startswith(("bwrap: ", "setpriv: "))
        return self.enabled and is_complaint and why_not(self) is not None

    def command(
        self,
        program: Sequence[str],
        *,
        read: Sequence[Path] = (),
        write: Sequence[Path] = (),
        folder: Optional[Path] = None,
        own_network: bool = True,
    ) -> List[str]:
        """The command that runs `program` inside. It sees what is in `read` and `write`, where it
        always is, and starts in `folder`."""
        if not self.enabled:
            return as_user(self.user, [*_in_folder(folder), *self._limited(), *program])
        return as_user(self.user, [
            "bwrap",
            *_new_namespaces(own_network),
            *_system(),
            *(word for path in self.hidden if path.is_relative_to("/usr") for word in ("--tmpfs", str(path))),
            "--proc", "/proc",
            "--dev", "/dev", "--remount-ro", "/dev",
            "--size", str(int(self.limits.file_mib * _MIB)), "--tmpfs", "/tmp",
            *(word for path in read for word in ("--ro-bind", str(path), str(path))),
            *(word for path in write for word in ("--bind", str(path), str(path))),
            "--remount-ro", "/",
            "--chdir", str(folder or "/tmp"),
            "--", *self._limited(), *program,
        ])  # fmt: skip

    def _limited(self) -> List[str]:
        limits = self.limits
        command = [
            "prlimit", "--core=0", f"--cpu={limits.cpu_seconds:.0f}",
            f"--fsize={limits.file_mib * _MIB:.0f}", f"--nofile={limits.open_files:.0f}",
        ]  # fmt: skip
        if self.enabled:  # else it would count everything that the user runs
            command.append(f"--nproc={limits.processes:.0f}")
        return [*command, "--"]

    def lend(self, folder: Path, writable: bool = False) -> None:
        """Lets programs inside reach a folder of ours, and write there."""
        if self.user is not None:
            os.chown(folder, self.user if writable else -1, self.user)
            folder.chmod(0o750)

    def take_back(self, folder: Path) -> None:
        """What was written there can still be read and run, but not changed any more."""
        if self.user is not None:
            for path in (folder, *folder.iterdir()):
                os.chown(path, os.getuid(), self.user, follow_symlinks=False)


def require_sandbox(sandbox: Sandbox) -> None:
    """KitFailed, with what to do, if it is enabled and does not work."""
    words = why_not(sandbox) if sandbox.enabled else None
    if words is not None:
        rights = "the rights of nobody" if sandbox.user else "your rights"
        raise KitFailed(_ADVICE.format(words=words, rights=rights))


def require_reach(sandbox: Sandbox, folder: Path) -> None:
    """KitFailed if programs inside cannot get to a folder that was lent."""
    words = why_not(sandbox, folder)
    if words is not None:
        raise KitFailed(
            f"the sandbox cannot use {folder}, which must be where every user can go: set TMPDIR to "
            f"such a folder\n  {words}"
        )


def why_not(sandbox: Sandbox, folder: Optional[Path] = None) -> Optional[str]:
    """What is said if it does not work here, with `folder` to be read; None: it does."""
    if sandbox.enabled and shutil.which("bwrap") is None:
        return "not found"
    read = [] if folder is None else [folder]
    tried = subprocess.run(
        sandbox.command(["true"], read=read, folder=folder),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
        check=False,
    )
    if tried.returncode == 0:
        return None
    return tried.stdout.decode("utf-8", "replace").strip() or f"exit code {tried.returncode}"


def network_of_our_own(program: Sequence[str]) -> List[str]:
    """The command that runs a program of the kit's own with all rights, but alone with what it
    starts in a network without any other."""
    return [
        "bwrap", "--unshare-net", "--dev-bind", "/", "/", "--die-with-parent",
        *(["--cap-add", "ALL"] if os.getuid() == 0 else []),
        "--", *program,
    ]  # fmt: skip


def _new_namespaces(own_network: bool) -> List[str]:
    return [
        "--unshare-user", *_no_sandbox_inside(), "--unshare-ipc", "--unshare-pid", "--unshare-uts",
        "--unshare-cgroup-try", *(["--unshare-net"] if own_network else []),
        "--hostname", "lab", "--die-with-parent",
    ]  # fmt: skip


@functools.lru_cache(maxsize=None)
def _no_sandbox_inside() -> Sequence[str]:
    """bubblewrap has it from 0.8 on. Without it a program can make user namespaces inside."""
    told = subprocess.run(["bwrap", "--help"], stdout=subprocess.PIPE, check=False).stdout
    return ["--disable-userns"] if b"--disable-userns" in told else []


def _system() -> List[str]:
    """/usr, its links, and a few files of /etc."""
    words = ["--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib32", "lib64"):
        path = Path("/", name)
        if path.is_symlink():
            words += ["--symlink", os.readlink(path), str(path)]
        elif path.is_dir():
            words += ["--ro-bind", str(path), str(path)]
    for name in _ETC:
        words += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    return words


def _in_folder(folder: Optional[Path]) -> List[str]:
    return [] if folder is None else ["env", f"--chdir={folder}"]
