"""What a build leaves for the steps after it, and what is said of the rest."""

from __future__ import annotations

import stat

import pytest
from trials import OTHER, QUICK, SHOP, create, modify, write

from windtunnel.core.effects import Effects, FileEffect
from windtunnel.core.result import Artifact, ExecutionResult
from windtunnel.core.trial import Verdict
from windtunnel.engine.products import left_behind, over
from windtunnel.sandbox.layer import leads_inside

FILE, OTHERS = Artifact(data=b"file"), Artifact(data=b"other")
LINK, FOLDER = Artifact(data=b"x", mode=stat.S_IFLNK | 0o777), Artifact(data=b"", mode=stat.S_IFDIR | 0o755)


@pytest.mark.parametrize(("products", "change", "laid"), [
    ({"b": FILE, "a": None, "c/d": LINK}, {}, [("a", None), ("b", FILE), ("c/d", LINK)]),
    ({"a": OTHERS}, {"a": FILE}, [("a", FILE)]),
    ({"a": FILE}, {"a": None}, [("a", None)]),
    ({"a": None}, {"a": FILE}, [("a", FILE)]),
    ({"src": None}, {"src/a": FILE}, [("src", None), ("src/a", FILE)]),
    ({"src": LINK}, {"src/a": FILE}, [("src/a", FILE)]),
    ({"src": FILE}, {"src/a/b": None}, [("src/a/b", None)]),
    ({"src": FOLDER}, {"src/a": FILE}, [("src", FOLDER), ("src/a", FILE)]),
    ({"src/a": FILE, "src/b/c": LINK}, {"src": OTHERS}, [("src", OTHERS)]),
    ({"srcs": FILE}, {"src/a": FILE}, [("src/a", FILE), ("srcs", FILE)]),
], ids=["deletions first", "the change wins", "its deletion wins", "its file wins", "a deleted folder is filled again",
        "a link gives way", "a file gives way", "a folder stays", "what is below a file gives way", "names that begin alike"])
def test_a_change_lies_on_top_of_what_a_build_left(products, change, laid):
    assert list(over(products, change).items()) == laid


@pytest.mark.parametrize(("path", "target", "inside"), [
    ("a", "b", True), ("a/b", "../c", True), ("a/b/c", "../../d", True), ("a", ".", True), ("a/b", "..", True), ("a", "b/../c", True),
    ("a", "/workspace", True), ("a", "/workspace/b", True), ("a", "/workspace/b/../c", True), ("a", "dangling/x", True), ("a", "..x", True),
    ("a", "..", False), ("a/b", "../..", False), ("a", "b/../../c", False), ("a", "/", False), ("a", "/etc/passwd", False),
    ("a", "/workspace/../etc", False), ("a", "/workspaces/x", False), ("a", "//etc", False), ("a", "", False), ("a", "x" * 5000, False), ("a", "b\0c", False),
])
def test_a_link_is_followed_by_its_words_alone(path, target, inside):
    assert leads_inside(path, target) is inside


def left(path, kind="file", act="made"):
    return FileEffect(path=f"/workspace/{path}", kind=kind, act=act)


def test_what_stays_behind_is_told_by_its_kind():
    files = [left("kept"), left("gone", act="deleted"), left("d", kind="folder"), left("up", kind="link"), left("pipe", kind="other"),
             *(left(f"big{number}") for number in range(4)), FileEffect(path="/tmp/x", kind="file")]
    result = ExecutionResult(exit_code=0, layer={"kept": FILE, "gone": None}, effects=Effects(files=tuple(files), files_omitted=7))

    assert left_behind(result) == (
        "not handed on to the next step: 1 link that leads out of the project: up",
        "not handed on to the next step: 1 pipe or socket: pipe",
        "not handed on to the next step: 4 files more than are read back: big0, big1, big2 …")


def test_folders_that_lie_too_deep_are_told():
    depths = {number: "/".join(["d"] * number) for number in (32, 33)}
    result = ExecutionResult(exit_code=0, effects=Effects(files=tuple(left(path, kind="folder") for path in depths.values())))

    assert left_behind(result) == (f"not handed on to the next step: 1 folder too deep to be looked into: {depths[33]}",)


def test_many_files_elsewhere_are_nothing_that_the_next_step_would_miss():
    result = ExecutionResult(exit_code=0, effects=Effects(files=(FileEffect(path="/tmp/x", kind="file"),), files_omitted=500))

    assert left_behind(result) == ()


def test_a_name_that_is_no_text_is_known_again():
    result = ExecutionResult(exit_code=0, layer={"a\udcff": FILE}, effects=Effects(files=(left("a\\xff"),)))

    assert left_behind(result) == ()


BUILD = """
mkdir -p out spool
echo 'def add(a, b): return a + b' > out/real.py
ln -s real.py out/made.py
ln -s /etc/hostname outside
rm -r old stale.txt
"""
SEES = """
import os

def test_build():
    assert os.readlink("out/made.py") == "real.py" and "return" in open("out/made.py").read()
    assert os.listdir("spool") == []
    assert not os.path.lexists("old") and not os.path.lexists("stale.txt") and not os.path.lexists("outside")
"""


def test_the_tests_of_a_trial_see_what_its_build_made_linked_and_deleted(tunnel, tmp_path):
    project = write(tmp_path / "project", {
        **SHOP, "build.sh": BUILD, "test_build.py": SEES, "old/a.txt": "a", "old/deep/b.txt": "b", "stale.txt": "stale"})

    result = tunnel.try_change(project, [modify("calc.py", OTHER)], build="sh build.sh", test="pytest", lint="", env=QUICK)

    assert (result.verdict, result.reasons, {test.id for report in result.reports for test in report.tests if test.status.good}) == (
        Verdict.GOOD, (), {"test_build.py::test_build", "test_calc.py::test_add", "test_calc.py::test_zero"})
    assert "command: not handed on to the next step: 1 link that leads out of the project: outside" in result.notes


def test_more_files_than_are_read_back_are_told_in_the_notes(tunnel, tmp_path, monkeypatch):
    monkeypatch.setattr("windtunnel.sandbox.harvest.MOST_LAYER_ENTRIES", 10)
    project = write(tmp_path / "project", {**SHOP, "build.sh": "mkdir out; for n in $(seq 30); do echo $n > out/$n; done"})

    result = tunnel.try_change(project, [modify("calc.py", OTHER)], build="sh build.sh", test="pytest", lint="", env=QUICK)

    told = [note for note in result.notes if "not handed on" in note]
    assert (result.verdict, [note.partition(", of ")[0] for note in told]) == (
        Verdict.GOOD, ["command: not handed on to the next step: what is beyond 10 files"])


NEEDS_ALL = """
import os

def test_all():
    assert len(os.listdir("out")) == 30
"""


def test_where_what_stayed_behind_matters_the_tests_say_so_and_the_notes_say_why(tunnel, tmp_path, monkeypatch):
    monkeypatch.setattr("windtunnel.sandbox.harvest.MOST_LAYER_ENTRIES", 10)
    project = write(tmp_path / "project", {**SHOP, "build.sh": "mkdir out"})
    build = "mkdir out; for n in $(seq 30); do echo $n > out/$n; done"

    result = tunnel.try_change(project, [modify("build.sh", build), create("test_all.py", NEEDS_ALL)],
                               build="sh build.sh", test="pytest", lint="", env=QUICK)

    assert (result.verdict, "1 test new and failing: test_all.py::test_all" in result.reasons) == (Verdict.NOT_GOOD, True)
    assert any("not handed on to the next step" in note for note in result.notes)
