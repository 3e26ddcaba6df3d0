"""Building with the real CMake, ninja and compiler: a kit of seven tiny programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Dict

import pytest

from grader.build import Build, BuildRequest, build, submission_warnings, targets_of
from grader.exit_codes import KitFailed
from grader.kit import MILESTONES

CMAKE = """
cmake_minimum_required(VERSION 3.21)
project(tiny LANGUAGES C)
foreach(layer m1-task/task m2-scheduler/scheduler m3-sleep/timers m4-event-loop/event_loop
        m5-echo-server/echo_server)
  string(SUBSTRING ${layer} 0 2 id)
  add_library(submission-${id} STATIC ${LAB_SUBMISSION}/${layer}.c)
  target_compile_options(submission-${id} PRIVATE -Wall)
  add_executable(test-${id} test.c)
  target_compile_definitions(test-${id} PRIVATE FUNCTION=${id})
  target_link_libraries(test-${id} submission-${id})
endforeach()
if(LAB_BASE STREQUAL own)
  target_link_libraries(test-m3 submission-m1)
endif()
add_executable(echo-server test.c)
target_compile_definitions(echo-server PRIVATE FUNCTION=m5)
target_link_libraries(echo-server submission-m5)
add_executable(echo-server-own test.c)
target_compile_definitions(echo-server-own PRIVATE FUNCTION=m5)
target_link_libraries(echo-server-own submission-m5 submission-m1)
"""
PRESETS = {"version": 3, "configurePresets": [
    {"name": "student", "generator": "Ninja", "binaryDir": "${sourceDir}/build"}]}  # fmt: skip


class TinyKit:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "kit"
        self.root.mkdir()
        (self.root / "CMakeLists.txt").write_text(CMAKE, encoding="utf-8")
        (self.root / "CMakePresets.json").write_text(json.dumps(PRESETS), encoding="utf-8")
        test = "int FUNCTION(void);\nint main(void) { return FUNCTION(); }\n"
        (self.root / "test.c").write_text(test, encoding="utf-8")

    def build(self, base: str = "reference", **changed: str) -> Build:
        """`changed`: the text of a milestone's file."""
        tree = self.folder / "submission"
        for milestone in MILESTONES:
            path = tree / milestone.path
            path.parent.mkdir(parents=True, exist_ok=True)
            right = f"int {milestone.id}(void) {{ return 0; }}\n"
            path.write_text(changed.get(milestone.id, right), encoding="utf-8")
        request = BuildRequest(self.root, tree, self.folder / "build", base)
        return build(request, targets_of(MILESTONES))


@pytest.fixture
def tiny(tmp_path: Path) -> TinyKit:
    return TinyKit(tmp_path)


def failures(made: Build) -> Dict[str, str]:
    assert not set(made.failures) & set(made.programs)
    assert len(made.failures) + len(made.programs) == len(targets_of(MILESTONES))
    return made.failures


def test_all_is_built(tiny: TinyKit) -> None:
    made = tiny.build()
    assert failures(made) == {} and not made.up_to_date
    assert all(path.is_file() for path in made.programs.values())


def test_a_compile_error_costs_what_needs_the_file(tiny: TinyKit) -> None:
    failed = failures(tiny.build(m1="int m1(void) { return 0 }\n"))
    message = "m1-task/task.c:1:24: error: expected ‘;’ before ‘}’ token"
    assert failed == {"test-m1": message, "echo-server-own": message}


def test_a_link_error_is_told_by_name(tiny: TinyKit) -> None:
    failed = failures(tiny.build(m4="int other(void) { return 0; }\n"))
    assert list(failed) == ["test-m4"]
    assert failed["test-m4"].endswith("test.c:2: undefined reference to `m4'") or (
        "undefined reference to `m4'" in failed["test-m4"]
    )


def test_an_old_program_is_not_taken_for_a_new_one(tiny: TinyKit) -> None:
    tiny.build()
    assert list(failures(tiny.build(m2="#error not yet\n"))) == ["test-m2"]
    assert failures(tiny.build()) == {}


def test_a_lower_layer_of_ones_own_is_named(tiny: TinyKit) -> None:
    failed = failures(tiny.build(base="own", m1="#error broken\n"))
    assert sorted(failed) == ["echo-server-own", "test-m1", "test-m3"]
    assert failed["test-m3"] == "m1-task/task.c:1:2: error: #error broken"


def test_warnings_are_counted_once(tiny: TinyKit) -> None:
    made = tiny.build(m5="static int unused;\nint m5(void) { return 0; }\n")
    [finding] = submission_warnings(made.warnings)
    assert (finding.kind, finding.where) == ("warning", "m5-echo-server/echo_server.c:1")
    assert "defined but not used" in finding.detail


def test_a_fault_of_the_kit_is_no_fault_of_the_student(tiny: TinyKit) -> None:
    (tiny.root / "test.c").write_text("#error a fault of the kit\n", encoding="utf-8")
    with pytest.raises(KitFailed, match="the kit's own files could not be built"):
        tiny.build()


def test_cmake_that_fails_is_the_kits_fault(tiny: TinyKit) -> None:
    (tiny.root / "CMakeLists.txt").write_text("message(FATAL_ERROR no)\n", encoding="utf-8")
    with pytest.raises(KitFailed, match="CMake could not configure the build:"):
        tiny.build()
