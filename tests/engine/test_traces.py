"""Side effects: what the checks left besides the change, and what of it the unchanged project leaves too."""

import hashlib

import pytest
from trials import CALC, ONE_RUNNER, OTHER, SHOP, create, delete, modify, state, write

from windtunnel.core.change import ChangeSet
from windtunnel.core.effects import BlockedCall, Effects, FileEffect, NetworkAttempt
from windtunnel.core.result import Reason
from windtunnel.core.trial import Channel, Check, CheckReport, Kind, Verdict
from windtunnel.engine.traces import traces

CHECK = Check(kind=Kind.TEST, tool="pytest", argv=("pytest",))


def report(*files, **effects):
    return CheckReport(check=CHECK, exit_code=0, reason=Reason.EXITED, execution_time=0.1, channel=Channel.LIVE,
                       effects=Effects(files=files, watched=("files",), **effects))


def left(path, content="x", *, act="made", kind="file"):
    digest = hashlib.sha256(content.encode()).hexdigest() if kind == "file" and act != "deleted" else ""
    return FileEffect(path=f"/workspace/{path}", kind=kind, act=act, hash=digest)


def traced(before, after, changes=()):
    return traces(before, after, ChangeSet(changes=tuple(changes)))


def seen(effects):
    return {file.path.removeprefix("/workspace/"): file.litter or file.runs_later for file in effects.files}


def test_what_the_change_is_made_of_is_no_side_effect():
    changes = [modify("a.py", "new"), create("deep/er/b.py", "b"), delete("c.py")]
    after = report(left("a.py", "new", act="changed"), left("deep", kind="folder"), left("deep/er", kind="folder"), left("deep/er/b.py", "b"),
                   left("c.py", act="deleted"))

    assert traced([], [after], changes) == Effects(watched=("files",))


def test_a_file_of_the_change_that_a_check_rewrote_is_one_also_beside_checks_that_left_it_alone():
    tampered, honest = report(left("a.py", "evil", act="changed")), report(left("a.py", "new", act="changed"))

    for order in ([tampered, honest], [honest, tampered]):
        assert [file.hash for file in traced([], order, [modify("a.py", "new")]).files] == [left("a.py", "evil").hash]


def test_a_file_of_the_change_that_a_check_deleted_is_one():
    gone, honest = report(left("a.py", act="deleted")), report(left("a.py", "new", act="changed"))

    assert [file.act for file in traced([], [gone, honest], [modify("a.py", "new")]).files] == ["deleted"]


def test_settings_that_were_laid_over_the_change_are_none():
    laid_over, proposed = report(left("pyproject.toml", "merged", act="changed")), report(left("pyproject.toml", "new", act="changed"))

    assert traced([], [laid_over, proposed], [modify("pyproject.toml", "new")]).files == ()


def test_what_lies_outside_the_workspace_is_none():
    outside = FileEffect(path="/tmp/scratch", kind="file")

    assert traced([], [report(outside)]).files == ()


def test_litter_is_known():
    assert seen(traced([], [report(left("__pycache__/a.pyc"), left(".coverage"), left("out.txt"))])) == {
        "__pycache__/a.pyc": "bytecode cache", ".coverage": "coverage data", "out.txt": ""}


def test_what_the_unchanged_project_leaves_too_is_expected():
    both = report(left("out.txt"))

    assert seen(traced([both], [both])) == {"out.txt": "also without the change"}


def test_a_file_that_is_made_by_one_and_deleted_by_the_other_is_not():
    assert seen(traced([report(left("out.txt"))], [report(left("out.txt", act="deleted"))])) == {"out.txt": ""}


def test_a_hook_that_both_leave_is_expected_only_while_it_is_the_same():
    mine = report(left(".git/hooks/pre-commit", "echo ok"))

    assert seen(traced([mine], [mine])) == {".git/hooks/pre-commit": "also without the change"}
    assert seen(traced([mine], [report(left(".git/hooks/pre-commit", "rm -rf ~"))])) == {".git/hooks/pre-commit": "git hook"}


def test_what_a_build_installs_into_an_environment_may_differ():
    place = ".venv/lib/python3.11/site-packages/shop.py"

    assert seen(traced([report(left(place, "old"))], [report(left(place, "new"))])) == {place: "also without the change"}


def attempt(target, count=1):
    return NetworkAttempt(target=target, outcome="refused", rule="no network", count=count)


def test_each_target_is_told_once_however_often_and_wherever_it_was_tried():
    after = [report(network=(attempt("a:1", 2),)), report(network=(attempt("a:1", 3), attempt("b:1")))]

    assert traced([], after).network == (attempt("a:1", 5), attempt("b:1"))


def test_a_target_that_the_unchanged_project_tries_too_is_expected_at_any_count():
    assert traced([report(network=(attempt("a:1", 1),))], [report(network=(attempt("a:1", 4),))]).network == ()


def test_calls_and_processes_of_the_unchanged_project_are_expected():
    before = report(blocked=(BlockedCall(name="ptrace"),), processes_left=("daemon",))
    after = report(blocked=(BlockedCall(name="ptrace", count=3), BlockedCall(name="mount")), processes_left=("daemon", "miner"))

    found = traced([before], [after])

    assert (found.blocked, found.processes_left) == ((BlockedCall(name="mount"),), ("miner",))


# --- in the real sandbox ---

MESS = """
import os, pathlib
def mess():
    os.makedirs(".git/hooks", exist_ok=True)
    pathlib.Path(".git/hooks/pre-commit").write_text("#!/bin/sh\\ncurl evil\\n")
    os.chmod(".git/hooks/pre-commit", 0o755)
    pathlib.Path(".bashrc").write_text("alias ls=evil\\n")
    os.remove("source.py")
    os.symlink("/etc/passwd", "escape")
    pathlib.Path(".coverage").write_text("data")
"""


@pytest.fixture(scope="module")
def messy(tunnel, tmp_path_factory):
    tests = "import calc\ndef test_mess():\n    calc.mess()\n    open('usual.txt', 'w').write('as always')\n"
    project = write(tmp_path_factory.mktemp("messy"), {
        "calc.py": "def mess():\n    pass\n", "test_calc.py": tests, "source.py": "x = 1\n", ".git/HEAD": "ref: refs/heads/main\n"})
    before = state(project)
    result = tunnel.try_change(project, [modify("calc.py", MESS)], **ONE_RUNNER)
    assert state(project) == before
    return result


def test_each_file_that_was_left_is_told_with_its_meaning(messy):
    told = {file.path.removeprefix("/workspace/"): (file.kind, file.act, file.runs_later) for file in messy.effects.unexpected}

    assert told == {
        ".git/hooks/pre-commit": ("file", "made", "git hook"), ".bashrc": ("file", "made", "shell start-up"),
        "source.py": ("file", "deleted", ""), "escape": ("link", "made", "")}


def test_the_hook_is_told_by_mode_and_content(messy):
    hook = next(file for file in messy.effects.files if file.path.endswith("pre-commit"))

    assert (hook.mode, hook.hash) == (0o755, hashlib.sha256(b"#!/bin/sh\ncurl evil\n").hexdigest())


def test_what_would_run_later_makes_it_not_good(messy):
    assert messy.verdict is Verdict.NOT_GOOD
    assert [reason for reason in messy.reasons if reason.startswith("2 files that would run later: ")]


def test_usual_litter_is_folded_away(messy):
    litter = {file.path.removeprefix("/workspace/"): file.litter for file in messy.effects.files if file.litter and file.kind == "file"}

    assert (litter["usual.txt"], litter[".coverage"]) == ("also without the change", "coverage data")


def test_silence_says_what_was_watched(messy):
    assert set(messy.effects.watched) == {"files", "processes", "network", "blocked"}


def test_a_test_that_rewrites_the_file_on_trial_is_told_beside_a_linter(tunnel, tmp_path):
    project = write(tmp_path, SHOP)

    result = tunnel.try_change(project, [modify("calc.py", CALC + "open('calc.py', 'a').write('# more')\n")], **{**ONE_RUNNER, "lint": "true"})

    assert [(file.path, file.act) for file in result.effects.unexpected] == [("/workspace/calc.py", "changed")]


def test_an_ordinary_change_leaves_nothing_to_tell(tunnel, tmp_path):
    result = tunnel.try_change(write(tmp_path, SHOP), [modify("calc.py", OTHER)], **ONE_RUNNER)

    assert not result.side_effects_detected
