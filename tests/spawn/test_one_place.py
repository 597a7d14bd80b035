"""One place starts processes: nothing else in the package may, but for the scripts that run on their own."""

from pathlib import Path

import pytest
from starters import starters

import windtunnel

PACKAGE = Path(windtunnel.__file__).parent
APART = ("spawn/", "sandbox/outside/station.py")
"""The place itself, and the one process that forks for each run; so may the scripts of every folder ``inside``."""


def is_apart(name):
    return name.startswith(APART) or "/inside/" in name


def found_in(package):
    paths = ((path.relative_to(package).as_posix(), path) for path in sorted(package.rglob("*.py")))
    found = {name: starters(path.read_text()) for name, path in paths if not is_apart(name)}
    return {name: what for name, what in found.items() if what}


def test_only_spawn_starts_processes():
    assert set(found_in(PACKAGE)) == set()


@pytest.mark.parametrize("line", [
    "import subprocess", "import subprocess as s", "from subprocess import Popen", "from windtunnel.spawn.process import subprocess",
    "import os\nos.fork()", "import os\nos.execve('/bin/true', [], {})", "import os\nos.posix_spawn('/bin/true', [], {})",
    "import os\nos.system('true')", "from os import fork", "def late():\n    import subprocess", "import multiprocessing.pool",
    "import asyncio\nasyncio.create_subprocess_exec('true')",
])
def test_a_module_that_could_start_one_is_found(line, tmp_path):
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "sample.py").write_text(line)

    assert list(found_in(tmp_path)) == ["engine/sample.py"]


@pytest.mark.parametrize("line", [
    "import os\nos.pipe()", "from windtunnel.spawn import start", "from windtunnel.spawn import handles as subprocess",
    "CODE = 'import subprocess'", "# import subprocess",
])
def test_a_module_that_could_not_is_left_alone(line, tmp_path):
    (tmp_path / "sample.py").write_text(line)

    assert found_in(tmp_path) == {}


def test_spawn_and_the_scripts_inside_are_apart_and_nothing_else_of_the_sandbox_is(tmp_path):
    for folder in ("spawn", "sandbox/inside", "mutation/inside", "sandbox"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "sample.py").write_text("import subprocess")

    assert found_in(tmp_path) == {"sandbox/sample.py": ["1: subprocess"]}


def test_the_handles_start_nothing():
    from windtunnel.spawn import handles

    assert [name for name in dir(handles) if name in ("Popen", "run", "call", "check_output")] == []
