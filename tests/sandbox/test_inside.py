"""How our own code gets into a sandbox, and that a program does not meet it there."""

import marshal
import sys
import types
from dataclasses import replace

import pytest

from windtunnel.core.limits import Limits
from windtunnel.sandbox import handover
from windtunnel.sandbox.bubblewrap import Bubblewrap
from windtunnel.testing import python_maker

OURS = ("kernel", "view", "wires", "python", "stem")
OTHER = "/usr/bin/false"


@pytest.fixture
def sandbox():
    box = Bubblewrap(pool_size=0)
    yield box
    box.close()


def names_of_files(code):
    inner = (names_of_files(part) for part in code.co_consts if isinstance(part, types.CodeType))
    return {code.co_filename}.union(*inner)


def run(sandbox, code, files=None):
    return sandbox.run(python_maker(warm=True)(code, limits=Limits(), files=files or {}, env={}))


@pytest.mark.parametrize("interpreter", [None, sys.executable])
def test_our_own_interpreter_gets_compiled_code_under_its_names_inside(interpreter):
    found = {path: names_of_files(marshal.loads(data[16:])) for data, path in handover.stem_files(interpreter)}

    assert found == {f"/run/windtunnel/{name}.pyc": {f"/run/windtunnel/{name}.py"} for name in OURS}


def test_another_interpreter_gets_the_source_because_it_may_not_read_our_code():
    found = {path: data[:3] for data, path in handover.stem_files(OTHER)}

    assert (found, handover.stem_command(OTHER)) == (
        {f"/run/windtunnel/{name}.py": b'"""' for name in OURS}, [OTHER, "/run/windtunnel/stem.py"])


def test_a_stem_of_sources_works_too(sandbox):
    made = python_maker(warm=True)("print('from source')", limits=Limits(), files={}, env={})
    toolchain = replace(made.toolchain, run=("/usr/bin/python3", "{source}"))
    command = replace(made.command, argv=("/usr/bin/python3", "/sandbox/main.py"))

    result = sandbox.run(replace(made, toolchain=toolchain, command=command))

    assert (result.stdout, result.stderr) == ("from source\n", "")


@pytest.mark.parametrize("name", OURS)
def test_a_module_of_the_program_that_is_called_like_ours_is_its_own(name, sandbox):
    result = run(sandbox, f"import {name}\nprint({name}.__file__, {name}.WHOSE)", {f"{name}.py": b"WHOSE = 'mine'\n"})

    assert (result.stdout, result.stderr) == (f"/sandbox/{name}.py mine\n", "")


def test_such_a_module_is_taken_apart_at_the_end_like_any_other(sandbox):
    text = b"class Loud:\n    def __del__(self):\n        print('deleted', flush=True)\nkept = Loud()\n"

    result = run(sandbox, "import kernel\n", {"kernel.py": text})

    assert (result.stdout, result.stderr) == ("deleted\n", "")


@pytest.mark.parametrize("name", OURS)
def test_ours_cannot_be_imported_by_the_program(name, sandbox):
    result = run(sandbox, f"import {name}")

    assert result.stderr.splitlines()[-1:] == [f"ModuleNotFoundError: No module named '{name}'"]
