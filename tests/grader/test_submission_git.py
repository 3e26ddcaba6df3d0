"""Git repositories and bundles: their last commit is read, and nothing of theirs is run."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import zlib
from pathlib import Path
from typing import List

import pytest

from grader.exit_codes import KitFailed
from grader.kit import Kit
from grader.submissions import git_objects, intake
from grader.submissions.take import take_submission
from handing_in import ALL, M1, STUB, findings, hand_in, make_zip, of_m1, refusal, take, taken

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
ENVIRONMENT = {
    **{f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    **{"PATH": os.environ.get("PATH", ""), "HOME": "/", "GIT_CONFIG_NOSYSTEM": "1"},
}


COMMANDS = (  # settings that are commands
    *("core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "core.askPass"),
    *("core.alternateRefsCommand", "uploadpack.packObjectsHook", "filter.x.smudge"),
    *("filter.x.process", "diff.x.textconv", "alias.ls-tree", "alias.cat-file"),
)


def git(folder: Path, *arguments: str, given: bytes = b"") -> str:
    command = ["git", "-C", str(folder), "-c", "init.defaultBranch=main", *arguments]
    made = subprocess.run(
        command, input=given, env=ENVIRONMENT, stdout=subprocess.PIPE, check=True, timeout=60
    )
    return made.stdout.decode("utf-8", "replace").strip()


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A repository with a working tree, and everything in it committed."""
    folder = hand_in(tmp_path / "work", {f"lab/{path}": text for path, text in ALL.items()})
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "all")
    return folder


@pytest.fixture
def bare(work: Path, tmp_path: Path) -> Path:
    git(tmp_path, "clone", "--quiet", "--bare", "work", "lab.git")
    return tmp_path / "lab.git"


def commit_tree(repository: Path, tree: str) -> None:
    """Makes HEAD a commit of that tree."""
    commit = git(repository, "commit-tree", tree, "-m", "made")
    git(repository, "update-ref", "HEAD", commit)


def raw_tree(repository: Path, entries: "List[tuple[str, str, str]]") -> str:
    """A tree that git itself would not make: mode, name, object."""
    made = b"".join(
        f"{mode} {name}\0".encode() + bytes.fromhex(identity) for mode, name, identity in entries
    )
    whole = b"tree %d\0" % len(made) + made
    name = hashlib.sha1(whole).hexdigest()
    path = repository / "objects" / name[:2] / name[2:]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(zlib.compress(whole))
    return name


def blob(repository: Path, content: bytes) -> str:
    return git(repository, "hash-object", "-w", "--stdin", given=content)


@needs_git
@pytest.mark.parametrize("branch", ["main", "master", "work/in-progress"])
@pytest.mark.parametrize("packed", [False, True])
def test_a_bare_repository(
    kit: Kit, work: Path, tmp_path: Path, branch: str, packed: bool
) -> None:
    git(work, "branch", "-M", branch)
    git(tmp_path, "clone", "--quiet", "--bare", "work", "lab.git")
    if packed:
        git(tmp_path / "lab.git", "gc", "--quiet")
        assert not (tmp_path / "lab.git/refs/heads" / branch).exists()
    submission = take(kit, tmp_path / "lab.git")
    assert [taken(submission, path) for path in ALL] == [b"m1", b"m2", b"m3", b"m4", b"m5"]
    assert (submission.name, findings(submission)) == ("lab.git", [])


@needs_git
@pytest.mark.parametrize("kind", ["sha1", "sha256"])
def test_a_bundle(kit: Kit, tmp_path: Path, kind: str) -> None:
    folder = hand_in(tmp_path / "work", ALL)
    git(folder, "init", "--quiet", f"--object-format={kind}")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "all")
    for number, references in enumerate((["HEAD"], ["main"], ["--all"])):
        bundle = tmp_path / f"{number}.bundle"
        git(folder, "bundle", "create", "--quiet", str(bundle), *references)
        submission = take(kit, bundle, f"tree{number}")
        assert (taken(submission), findings(submission)) == (b"m1", [])


@needs_git
def test_only_the_working_tree_of_a_repository_with_one(
    kit: Kit, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (work / "lab" / M1).write_text("not committed yet", encoding="utf-8")
    monkeypatch.setenv("PATH", "/nowhere")
    assert taken(take(kit, work)) == b"not committed yet"


@needs_git
def test_alone_in_a_folder_and_on_a_detached_head(kit: Kit, bare: Path, tmp_path: Path) -> None:
    (bare / "HEAD").write_text(git(bare, "rev-parse", "HEAD") + "\n", encoding="ascii")
    (tmp_path / "in").mkdir()
    bare.rename(tmp_path / "in/lab.git")
    assert taken(take(kit, tmp_path / "in")) == b"m1"


@needs_git
def test_nothing_of_theirs_is_run_or_believed(
    kit: Kit, bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever git could be told to run leaves a mark here; a broken configuration harms nobody."""
    mark = tmp_path / "mark"
    command = f"touch {mark}; exit 1"
    for name in COMMANDS:
        git(bare, "config", name, f"!{command}" if name.startswith("alias") else command)
    git(bare, "config", "core.hooksPath", str(hand_in(tmp_path / "hooks", {"x": ""})))
    git(bare, "config", "remote.origin.url", f"ext::sh -c '{command}'")
    git(bare, "config", "remote.origin.promisor", "true")
    hand_in(bare, {"info/attributes": "* filter=x diff=x\n"})
    for hook in ("post-checkout", "reference-transaction", "post-index-change", "pre-receive"):
        for folder in (bare / "hooks", tmp_path / "hooks"):
            (hand_in(folder, {hook: f"#!/bin/sh\n{command}\n"}) / hook).chmod(0o755)
    home = hand_in(tmp_path / "home", {".gitconfig": (bare / "config").read_text("utf-8")})
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / ".gitconfig"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", command)
    assert taken(take(kit, bare)) == b"m1"
    for configuration in (bare / "config", home / ".gitconfig"):
        configuration.write_text("[no configuration at all", encoding="ascii")
    assert taken(take(kit, bare, "tree2")) == b"m1"
    assert not mark.exists()


@needs_git
def test_alternates_are_not_followed(kit: Kit, work: Path, tmp_path: Path) -> None:
    """They would make another's work readable."""
    git(tmp_path, "clone", "--quiet", "--bare", "--shared", "work", "lab.git")
    said = refusal(kit, tmp_path / "lab.git")
    assert said.startswith("lab.git cannot be read: its last commit is damaged, or not all there")


@needs_git
def test_links_out_of_a_repository_are_not_followed(kit: Kit, bare: Path, tmp_path: Path) -> None:
    git(bare, "gc", "--quiet")
    (bare / "objects/pack").rename(tmp_path / "pack")
    (bare / "objects/pack").symlink_to(tmp_path / "pack")
    assert "objects/pack: not to be read: Not a directory" in refusal(kit, bare)
    (bare / "objects/pack").unlink()
    (bare / "objects/pack").mkdir()
    for path in (tmp_path / "pack").iterdir():
        (bare / "objects/pack" / path.name).symlink_to(path)
    assert "cannot be read: objects/pack/pack-" in refusal(kit, bare)


@needs_git
@pytest.mark.parametrize("head", ["ref: ../secret", "ref: refs/heads/../../config", "", "x"])
def test_a_head_that_leads_nowhere(kit: Kit, bare: Path, tmp_path: Path, head: str) -> None:
    """Then main counts, if there is one."""
    (tmp_path / "secret").write_text("0" * 40, encoding="ascii")
    (bare / "HEAD").write_text(head, encoding="ascii")
    assert taken(take(kit, bare)) == b"m1"
    (bare / "packed-refs").unlink()
    expected = "lab.git is a git repository without a commit: nothing is at HEAD, main or master"
    assert refusal(kit, bare) == expected


@needs_git
def test_links_and_submodules_in_a_tree(kit: Kit, bare: Path) -> None:
    target = blob(bare, b"/etc/passwd")
    commit = git(bare, "rev-parse", "HEAD")
    folder = raw_tree(bare, [("120000", "task.c", target), ("160000", "sub", commit)])
    commit_tree(bare, raw_tree(bare, [("40000", "m1-task", folder)]))
    submission = take(kit, bare)
    assert taken(submission) == STUB
    assert of_m1(submission) == [
        f"refused {M1}: a link, which is not followed in a repository: graded as the stub",
        "ignored m1-task/sub: a submodule, which is not looked at",
    ]


@needs_git
@pytest.mark.parametrize("name", ["..", "/etc", "../x", "a\\..\\..\\x"])
def test_names_that_lead_out(kit: Kit, bare: Path, name: str) -> None:
    file = blob(bare, b"out")
    inner = raw_tree(bare, [("100644", "out.c", file)])
    commit_tree(bare, raw_tree(bare, [("40000", name, inner)]))
    assert "has a name that leads out of it: " in refusal(kit, bare)


@needs_git
def test_names_that_are_no_text_and_twice(kit: Kit, bare: Path) -> None:
    one, other = blob(bare, b"one"), blob(bare, b"other")
    folder = raw_tree(bare, [("100644", "task.c", one), ("100644", "task.c", other)])
    commit_tree(bare, raw_tree(bare, [("40000", "m1-task", folder), ("100644", "\x1b[2J\n", one)]))
    submission = take(kit, bare)
    assert taken(submission) == STUB
    assert of_m1(submission)[0].startswith(f"refused {M1}: there are 2, which differ, and none is")
    assert findings(submission)[-1] == "ignored \\x1b[2J\\n: not one of the files to hand in"


@needs_git
def test_trees_of_trees(kit: Kit, bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten times ten times ten ... files, of a few hundred bytes; and folders without end."""
    tree = raw_tree(bare, [("100644", f"f{n}", blob(bare, b"x")) for n in range(10)])
    for _ in range(10):
        tree = raw_tree(bare, [("40000", f"d{n}", tree) for n in range(10)])
    commit_tree(bare, tree)
    monkeypatch.setattr(intake, "ENTRY_LIMIT", 500)
    assert refusal(kit, bare) == "lab.git has more than 500 files and folders"
    tree = raw_tree(bare, [("100644", "f", blob(bare, b"x"))])
    for _ in range(60):
        tree = raw_tree(bare, [("40000", "d", tree)])
    commit_tree(bare, tree)
    assert refusal(kit, bare) == "lab.git has more than 40 folders in one another"


@needs_git
def test_a_large_file_and_much_history(
    kit: Kit, bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    big = blob(bare, b"\0" * 50_000_000)
    folder = raw_tree(bare, [("100644", "task.c", big)])
    commit_tree(bare, raw_tree(bare, [("40000", "m1-task", folder)]))
    expected = f"refused {M1}: 50000000 bytes, more than 1048576: graded as the stub"
    assert of_m1(take(kit, bare)) == [expected]
    monkeypatch.setattr(git_objects, "REPOSITORY_LIMIT", 1000)
    assert refusal(kit, bare) == "lab.git has more than 1000 bytes of history"


@needs_git
def test_what_is_damaged_or_not_all_there(kit: Kit, work: Path, tmp_path: Path) -> None:
    bundle = tmp_path / "a.bundle"
    git(work, "bundle", "create", "--quiet", str(bundle), "HEAD")
    whole = bundle.read_bytes()
    for kept in (40, len(whole) // 2, len(whole) - 1):
        bundle.write_bytes(whole[:kept])
        assert refusal(kit, bundle).startswith("a.bundle ")
    bundle.write_bytes(whole[:-40] + b"\xff" * 10 + whole[-30:])
    assert refusal(kit, bundle).startswith("a.bundle cannot be read: its last commit is damaged")
    git(work, "commit", "--quiet", "--allow-empty", "--message", "more")
    git(work, "bundle", "create", "--quiet", str(bundle), "HEAD~1..HEAD")
    expected = "a.bundle is a git bundle of a part of a history: make one of all of it"
    assert refusal(kit, bundle) == expected
    git(work, "branch", "-M", "other")
    git(work, "bundle", "create", "--quiet", str(bundle), "other")
    assert refusal(kit, bundle) == "a.bundle is a git bundle without HEAD, main or master"


@needs_git
def test_time_is_limited(kit: Kit, bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """git is ended with it: a program that never does."""
    slow = hand_in(bare.parent / "slow", {"git": "#!/bin/sh\nexec sleep 1000\n"})
    (slow / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow}:{os.environ['PATH']}")
    monkeypatch.setattr(intake, "SECONDS", 0.5)
    assert refusal(kit, bare) == "lab.git takes more than 0.5 s to read"


@needs_git
def test_no_git(kit: Kit, bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine's fault, and not the submission's."""
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(KitFailed, match="lab.git is a git repository: install the package git"):
        take_submission(kit, bare, tmp_path / "tree")


def test_a_bare_repository_in_an_archive(kit: Kit, tmp_path: Path) -> None:
    source = make_zip(tmp_path / "a.zip", "lab.git/HEAD", "lab.git/objects/x", "lab.git/refs/x")
    assert refusal(kit, source).startswith("none of the lab's files is in it, and a repository in")
