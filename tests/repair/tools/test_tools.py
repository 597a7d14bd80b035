from __future__ import annotations

from dataclasses import replace

import pytest

from windtunnel.core.problem import Problem, ProblemKind
from windtunnel.core.repair import Scene
from windtunnel.repair.tools import RULES, TOOLS, proposals

_RUFF = next(tool for tool in TOOLS if tool.name == "ruff")


def test_paths_of_a_project_are_never_options():
    command = _RUFF.argv(("--config=evil.toml", "a.py"))

    assert command[:3] == ("python", "-m", "ruff")
    assert command[command.index("--"):] == ("--", "--config=evil.toml", "a.py")


def test_what_a_tool_changed_is_one_proposal_of_the_files_that_may_change():
    scene = Scene(paths=("a.py", "b.py"), read={"a.py": "import os\n", "b.py": "x = 1\n"}.get)

    made = list(proposals(scene, _RUFF, {"a.py": "", "b.py": "x = 1\n", "tests/test_a.py": ""}))

    assert [(one.origin, one.name, [(edit.path, edit.text) for edit in one.edits]) for one in made] == [
        ("tool", "ruff", [("a.py", "")])]


def test_a_tool_that_changed_nothing_proposes_nothing():
    scene = Scene(paths=("a.py",), read={"a.py": "x = 1\n"}.get)

    assert list(proposals(scene, _RUFF, {"a.py": "x = 1\n"})) == []


def test_a_tool_is_asked_only_for_problems_that_it_may_mend():
    assert _RUFF.helps(Problem(kind=ProblemKind.NAME, message=""))
    assert not _RUFF.helps(Problem(kind=ProblemKind.TIMEOUT, message=""))


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_tool_is_told_of_its_own_files_alone_and_stands_in_the_list_of_rules(tool):
    paths = ("a.py", "b.js", "c.go", "src/d.rs", "e.ts", "F.java")
    files = dict.fromkeys((*paths, tool.manifest), "")
    scene = Scene(paths=paths, read=files.get, problems=(Problem(kind=next(iter(tool.kinds), "name"), message=""),))

    mended = tool.mended(scene)

    assert mended
    assert all(path.endswith(tool.suffixes) for path in mended)
    assert tool.mended(replace(scene, problems=())) == ()
    assert tool.rule in RULES


def test_a_tool_that_needs_a_manifest_is_not_run_without_it():
    cargo = next(tool for tool in TOOLS if tool.name == "cargo fix")
    scene = Scene(paths=("src/lib.rs",), read={}.get, problems=(Problem(kind=ProblemKind.BORROW, message=""),))

    assert cargo.mended(scene) == ()
