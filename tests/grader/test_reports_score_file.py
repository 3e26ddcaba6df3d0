"""docs/lab-result.schema.json, the published form of the score file."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest
from report_results import hostile, late, machine_failed, secretive, usual

from grader.model import Status, to_json

jsonschema: Any = importlib.import_module("jsonschema")  # typed nowhere

SCHEMA = json.loads(
    (Path(__file__).resolve().parents[2] / "docs" / "lab-result.schema.json").read_text("utf-8")
)


@pytest.mark.parametrize("make", [usual, late, secretive, machine_failed, hostile])
def test_score_files_fit_the_schema(make: Any) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(json.loads(json.dumps(to_json(make()))), SCHEMA)


def test_the_schema_has_every_status_and_refuses_others() -> None:
    assert SCHEMA["$defs"]["test"]["properties"]["status"]["enum"] == [s.value for s in Status]
    for key, value in {"schema": "lab-result/2", "score": -1, "milestones": [{}], "new": 1}.items():
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**to_json(usual()), key: value}, SCHEMA)
