"""Fixers of the ecosystem, run for real in the sandbox."""

import sys

import pytest
from judging import write

from windtunnel.checks.project import Folder
from windtunnel.config import Settings
from windtunnel.core.change import ChangeSet
from windtunnel.core.problem import Place, Problem
from windtunnel.core.repair import FileEdit, Scene
from windtunnel.engine.fix.base import Base
from windtunnel.engine.fix.tools import fixed_by_tools
from windtunnel.engine.trial import Trial, prepare
from windtunnel.tunnel import Tunnel

NONE = "def is_set(value):\n    return value != None\n"
PROBLEM = Problem(kind="assertion", message="assert False", place=Place(file="box.py", line=2))


@pytest.fixture
def ready(tmp_path):
    project = write(tmp_path / "project", {"box.py": NONE, "test_box.py": "def test_nothing(): pass\n"})
    with Tunnel(Settings(state_dir=tmp_path / "state", cache_dir=tmp_path / "cache"), pool_size=0) as tunnel:
        yield prepare(tunnel.rig, Trial(
            project=project, changes=ChangeSet(changes=()), test=f"{sys.executable} -m pytest", lint="", build=""))


def _scene(base, *, paths=("box.py",), problems=(PROBLEM,)):
    return Scene(paths=paths, read=base.read, problems=problems)


def test_what_a_fixer_changes_is_one_proposal_and_the_project_stays_as_it_is(ready):
    base = Base(folder=Folder(ready.project))

    (made,) = fixed_by_tools(ready, base, _scene(base))

    assert made.edits == (FileEdit(path="box.py", text=NONE.replace("!= None", "is not None")),)
    assert (made.origin, made.name) == ("tool", "ruff")
    assert (ready.project / "box.py").read_text() == NONE


def test_a_file_that_may_not_be_changed_is_not_proposed(ready):
    base = Base(folder=Folder(ready.project))

    assert list(fixed_by_tools(ready, base, _scene(base, paths=()))) == []


def test_what_was_kept_so_far_is_what_a_fixer_sees(ready):
    base = Base(folder=Folder(ready.project), texts={"box.py": "def is_set(value):\n    return not value == None\n"})

    (made,) = fixed_by_tools(ready, base, _scene(base))

    assert "None" in made.edits[0].text
    assert "== None" not in made.edits[0].text


def test_no_fixer_is_run_for_a_problem_that_none_helps_with(ready):
    base = Base(folder=Folder(ready.project))

    assert list(fixed_by_tools(ready, base, _scene(base, problems=(Problem(kind="io", message="no file"),)))) == []
