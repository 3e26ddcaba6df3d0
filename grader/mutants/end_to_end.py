"""Runs end-to-end checks on the echo server of a mutant: for faults that show only from outside."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Sequence

from grader.kit import Kit
from grader.mutants.manifest import END_TO_END
from grader.mutants.running import Verdicts
from grader.processes import python_environment, run_program

_PATIENCE = "4"  # seconds that a check waits for a server to do what it must
_SECONDS = 300.0


def run_checks(kit: Kit, server: Path, checks: Sequence[str]) -> Verdicts:
    """`checks`: names as in the manifest, e2e.NAME. Who is missing in the result did not run."""
    wanted = {f"m5.{check}": check for check in checks}
    names = sorted({check[len(END_TO_END) :].split(".")[0] for check in checks})
    with tempfile.TemporaryDirectory(prefix="lab-mutant-") as folder:
        records = Path(folder) / "records"
        command = [sys.executable, "-m", "pytest", str(kit.end_to_end), "-q",
                   "-p", "no:cacheprovider", "--rootdir", str(kit.end_to_end),
                   "--records", str(records), "--patience", _PATIENCE,
                   "--echo-server", str(server),
                   "-k", " or ".join(f"test_{name}" for name in names)]  # fmt: skip
        environment = python_environment()
        run_program(command, seconds=_SECONDS, folder=kit.root, environment=environment)
        text = records.read_text(encoding="utf-8") if records.exists() else ""
    found = [json.loads(line) for line in text.splitlines()]
    return {wanted[r["id"]]: str(r["status"]) for r in found if r.get("id") in wanted}
