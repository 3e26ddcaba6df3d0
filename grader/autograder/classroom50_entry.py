"""Classroom 50 runs this for each submission, in a checkout of it, as autograder.py beside kit/.

It grades with that kit, and not with the one in the checkout, which its student may have changed.
"""

import os
import subprocess
import sys
from pathlib import Path

KIT = Path(__file__).resolve().parent / "kit"


def main() -> int:
    """0: there is a result.json, whatever the score; else the runner tells of an error."""
    allow = ["sudo", "-n", "sysctl", "-w", "kernel.apparmor_restrict_unprivileged_userns=0"]
    try:
        subprocess.run(allow, check=False)  # for the sandbox, on Ubuntu 24.04
    except OSError:
        pass
    command = ["sh", str(KIT / "lab"), "grade", os.getcwd()]
    reports = ["--classroom50", "result.json", "--markdown", "release-body.md"]
    return subprocess.run([*command, *reports], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
