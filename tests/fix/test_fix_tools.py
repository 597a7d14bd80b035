"""Fixers of the ecosystem, run for real in the sandbox."""

import shutil
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


GO = {"go.mod": "module box\n\ngo 1.19\n", "box.go": "package box\n\nfunc Set( value int )bool {\n return value!=0\n}\n"}
RUST = {
    "Cargo.toml": '[package]\nname = "box"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/lib.rs": "pub fn set(value: i32) -> bool {\n    let mut zero = 0;\n    value != zero\n}\n"}
ESLINT = {
    "package.json": '{"name": "box", "version": "1.0.0"}',
    "box.js": "var value = 1;\n",
    # what eslint is to the loop: a program of the project that mends the files it is told of
    "node_modules/.bin/eslint": "#!/usr/bin/env node\nconst fs = require('fs');\n"
    "const paths = process.argv.slice(process.argv.indexOf('--') + 1);\n"
    "for (const path of paths) fs.writeFileSync(path, fs.readFileSync(path, 'utf8').replace(/^var /gm, 'const '));\n"}


@pytest.fixture
def made(tmp_path):
    """Prepares a project of these files."""
    with Tunnel(Settings(state_dir=tmp_path / "state", cache_dir=tmp_path / "cache"), pool_size=0) as tunnel:
        def make(files, test):
            project = write(tmp_path / "project", files)
            for program in (project / "node_modules" / ".bin").glob("*"):
                program.chmod(0o755)
            return prepare(tunnel.rig, Trial(
                project=project, changes=ChangeSet(changes=()), test=test, lint="", build=""))

        yield make


@pytest.fixture
def ready(made):
    return made({"box.py": NONE, "test_box.py": "def test_nothing(): pass\n"}, f"{sys.executable} -m pytest")


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


@pytest.mark.parametrize(("files", "test", "name", "line"), [
    (GO, "go test ./...", "gofmt", "func Set(value int) bool {"),
    (RUST, "cargo test", "cargo fix", "    let zero = 0;"),
    (ESLINT, "node --test", "eslint", "const value = 1;"),
], ids=["go", "rust", "javascript"])
def test_fixers_of_other_languages_propose_what_they_mend(made, files, test, name, line):
    if shutil.which(test.split()[0]) is None:
        pytest.skip(f"{test.split()[0]} is not installed")
    ready, path = made(files, test), list(files)[1]
    base = Base(folder=Folder(ready.project))
    problem = Problem(kind="style", message="as the tool says", place=Place(file=path, line=1))

    (proposed,) = fixed_by_tools(ready, base, _scene(base, paths=(path,), problems=(problem,)))

    assert (proposed.name, proposed.origin) == (name, "tool")
    assert line in proposed.edits[0].text.splitlines()
    assert (ready.project / path).read_text() == files[path]
