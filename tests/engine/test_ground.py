"""Where the programs of a project are inside a sandbox, and what is shown of the host for them."""

import sys
from pathlib import Path

import pytest
from trials import ONE_RUNNER, SHOP, modify, write

from windtunnel.core.errors import UsageError
from windtunnel.core.trial import Check, Checks, Kind, Verdict
from windtunnel.engine.ground import make_ground


def check(*argv, kind=Kind.TEST, tool="command"):
    return Check(kind=kind, tool=tool, argv=argv)


@pytest.fixture
def ground(rig, tmp_path):
    def make(*checks, files=None):
        return make_ground(rig, str(write(tmp_path, files or {})), Checks(checks=checks))

    return make


def script(folder, path, first="#!/bin/sh"):
    write(folder, {path: f"{first}\nexit 0\n"})
    (folder / path).chmod(0o755)


def test_a_program_of_the_project_is_called_where_the_project_lies_inside(ground, tmp_path):
    script(tmp_path, "bin/check")

    assert ground().resolve(("bin/check", "-v"), check("bin/check")) == ("/bin/sh", "/workspace/bin/check", "-v")


def test_a_program_of_the_system_stays_where_it_is(ground):
    assert ground().resolve(("true",), check("true"))[0].endswith("/true")


@pytest.mark.parametrize("name", ["no-such-program-here", "./missing", "bin/missing", "../outside", "", "a\0b"])
def test_a_program_that_is_not_there_is_refused_with_what_to_do(ground, name):
    with pytest.raises(UsageError, match="not found") as refused:
        ground(check("true")).resolve((name,), check(name))

    assert refused.value.field == "test"


@pytest.mark.parametrize("name", ["./out/run", "out/run"])
def test_a_program_that_a_build_may_make_is_looked_for_inside(ground, name):
    built = ground(check("true", kind=Kind.BUILD), check(name))

    assert built.resolve((name, "-v"), check(name)) == ("/workspace/out/run", "-v")


@pytest.mark.parametrize("name", ["../run", "out/../../run", "/no/such/run", "run"])
def test_a_build_makes_nothing_outside_the_project(ground, name):
    with pytest.raises(UsageError):
        ground(check("true", kind=Kind.BUILD), check(name)).resolve((name,), check(name))


def test_a_build_that_is_not_there_is_refused(ground):
    with pytest.raises(UsageError):
        ground(check("./missing", kind=Kind.BUILD)).resolve(("./missing",), check("./missing", kind=Kind.BUILD))


def test_python_is_the_one_that_owns_the_runner(ground, tmp_path):
    write(tmp_path, {".venv/pyvenv.cfg": f"home = {Path(sys.executable).resolve().parent}\n"})
    (tmp_path / ".venv/bin").mkdir()
    (tmp_path / ".venv/bin/python").symlink_to(Path(sys.executable).resolve())
    script(tmp_path, ".venv/bin/pytest", first=f"#!{tmp_path}/.venv/bin/python")

    assert ground().resolve(("python", "-I"), check("pytest", tool="pytest"))[0] == "/workspace/.venv/bin/python"


def test_the_search_path_names_places_inside(ground, tmp_path):
    script(tmp_path, "node_modules/.bin/jest")

    assert ground(check("jest")).env["PATH"].split(":")[0] == "/workspace/node_modules/.bin"


def test_nothing_is_shown_because_a_project_names_it(ground, tmp_path):
    secret = tmp_path.parent / "secret-of-the-host"
    secret.mkdir(exist_ok=True)
    write(tmp_path, {".venv/pyvenv.cfg": f"home = {secret}/bin\n"})
    (tmp_path / "tool").symlink_to(secret)
    script(tmp_path, "run", first=f"#!{secret}/python")

    assert [path for path in ground(check("./run")).paths if str(secret) in path] == []


def test_credentials_beside_a_cache_are_not_shown(ground, tmp_path, monkeypatch):
    home = write(tmp_path / "home", {".cargo/credentials.toml": "token", ".cargo/registry/index": "x", ".npmrc": "token", ".m2/settings.xml": "token"})
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("CARGO_HOME", raising=False)

    shown = ground(check("cargo", tool="cargo-test")).paths

    assert str(home / ".cargo/registry") in shown
    assert not [path for path in shown if path in (str(home), str(home / ".cargo")) or path.endswith(("credentials.toml", ".npmrc", "settings.xml"))]


def test_every_shown_place_is_there(ground):
    assert [path for path in ground(check("pytest", tool="pytest")).paths if not Path(path).exists()] == []


def test_a_test_command_that_the_build_makes_is_run(tunnel, tmp_path):
    build = "mkdir -p out\nprintf '#!/bin/sh\\ngrep -q good calc.py\\n' > out/run\nchmod +x out/run\n"
    project = write(tmp_path, {"calc.py": "# good\n", "build.sh": build})

    results = [tunnel.try_change(project, [modify("calc.py", content)], **{**ONE_RUNNER, "test": "./out/run", "build": "sh build.sh"})
               for content in ("# still good\n", "# bad\n")]

    assert [(result.verdict, result.delta.broken) for result in results] == [(Verdict.GOOD, ()), (Verdict.NOT_GOOD, ("./out/run",))]


def test_a_command_with_variables_before_it_is_run_with_them(tunnel, tmp_path):
    project = write(tmp_path, {**SHOP, "test_mode.py": "import os\ndef test_mode(): assert os.environ['MODE'] == 'strict'\n"})

    result = tunnel.try_change(project, [], **{**ONE_RUNNER, "test": "MODE=strict pytest"})

    assert (result.verdict, result.delta.still_passing) == (Verdict.GOOD, 3), result.notes
