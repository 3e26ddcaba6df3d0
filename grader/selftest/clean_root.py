"""A system in which nobody has ever seen the kit, with the rights that a container's root has.

As root, where a mirror of the distribution can be reached, a minimal installation of it: a chroot,
so that there are no user namespaces in it, and the capabilities that Docker leaves to its
containers. Elsewhere this machine's own programs, read-only, and nothing else of it.
"""

from __future__ import annotations

import dataclasses
import os
import shutil
from pathlib import Path
from typing import List, Optional, Sequence

from grader.processes import Ended, clean_environment, run_program

_SECONDS = 400.0
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_DOCKERS_CAPABILITIES = (
    "-all,+chown,+dac_override,+fsetid,+fowner,+mknod,+net_raw,+setgid,+setuid,+setfcap,+setpcap,"
    "+net_bind_service,+sys_chroot,+kill,+audit_write"
)


@dataclasses.dataclass(frozen=True)
class CleanRoot:
    name: str
    autograder: Path  # what is /autograder in it
    around: Sequence[str]  # the command before a command that is run in it

    def run(self, *command: str, seconds: float = _SECONDS) -> Ended:
        bare = ["env", "-i", f"PATH={_PATH}", "HOME=/tmp", *command]
        return run_program([*self.around, *bare], seconds=seconds, environment=clean_environment())


def make_clean_root(folder: Path) -> CleanRoot:
    """In `folder`, which must be where every user can go."""
    root = folder / "root"
    installed = _install(root) if os.getuid() == 0 else None
    if installed is not None:
        (root / "autograder").mkdir()
        return CleanRoot(installed, root / "autograder", _in_chroot(root))
    shutil.rmtree(root, ignore_errors=True)
    (folder / "autograder").mkdir()
    around = _on_this_system(folder / "autograder")
    return CleanRoot("this system, read-only", folder / "autograder", around)


def _install(root: Path) -> Optional[str]:
    """What was installed; None if that cannot be done here."""
    source = _source()
    if source is None or not _has_debootstrap():
        return None
    mirror, suite = source
    components = "main,universe" if "ubuntu" in mirror else "main"
    options = ["--variant=minbase", f"--components={components}"]
    return f"a new {suite}" if _works(["debootstrap", *options, suite, str(root), mirror]) else None


def _source() -> "Optional[tuple[str, str]]":
    """This system's own first mirror and release."""
    if shutil.which("apt-get") is None:
        return None
    shown = ["--format", "$(REPO_URI) $(CODENAME)", "Created-By: Packages"]
    ended = run_program(["apt-get", "indextargets", *shown], seconds=60)
    words = ended.output.split()
    return (words[0], words[1]) if ended.returncode == 0 and len(words) >= 2 else None


def _has_debootstrap() -> bool:
    if shutil.which("debootstrap") is None:
        _works(["apt-get", "install", "-y", "-qq", "--no-install-recommends", "debootstrap"])
    return shutil.which("debootstrap") is not None


def _works(command: List[str]) -> bool:
    environment = clean_environment(DEBIAN_FRONTEND="noninteractive", PATH=_PATH)
    ended = run_program(command, seconds=_SECONDS, environment=environment)
    return ended.returncode == 0 and not ended.timed_out


def _in_chroot(root: Path) -> List[str]:
    return [
        "bwrap", "--ro-bind", "/", "/", "--bind", str(root), str(root),
        "--proc", f"{root}/proc", "--dev", f"{root}/dev",
        "--unshare-pid", "--unshare-ipc", "--die-with-parent", "--cap-add", "ALL", "--",
        "chroot", str(root),
        "setpriv", "--bounding-set", _DOCKERS_CAPABILITIES, "--inh-caps=-all",
    ]  # fmt: skip


def _on_this_system(autograder: Path) -> List[str]:
    command = [
        "bwrap", "--ro-bind", "/usr", "/usr", "--ro-bind", "/etc", "/etc",
        "--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--tmpfs", "/tmp",
        "--bind", str(autograder), "/autograder", "--unshare-pid", "--die-with-parent",
    ]  # fmt: skip
    for name in ("bin", "sbin", "lib", "lib32", "lib64"):
        if os.path.islink(f"/{name}"):
            command += ["--symlink", os.readlink(f"/{name}"), f"/{name}"]
    return [*command, *(["--cap-add", "ALL"] if os.getuid() == 0 else []), "--"]
