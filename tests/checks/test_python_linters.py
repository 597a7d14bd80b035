"""The Python linters: found by their configuration, and the real ones read."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from looks import program, project

from windtunnel.checks import flake8, mypy, prepare, pylint, pyright, ruff
from windtunnel.checks.families import judged
from windtunnel.core.tool import Ask, Output
from windtunnel.core.trial import Channel, Check, Kind, LintResult

BIN = Path(sys.executable).parent
PACKAGE = {
    "pkg/__init__.py": "", "pkg/deep/__init__.py": "", "tests/test_a.py": "",
    "pkg/a.py": "import os\n\n\ndef add(a: int, b: int) -> int:\n    return str(a + b)\n",
}


def run(tool, folder, *argv):
    """The real tool on a real folder, with what it prints as a sandbox would see it."""
    check = Check(kind=Kind.LINT, tool=tool.name, argv=argv)
    invocation = prepare(check, Ask())
    arguments = [word.replace("/tmp/windtunnel-mypy", f"{folder}/.cache") for word in invocation.argv[1:]]
    done = subprocess.run([BIN / invocation.argv[0], *arguments], cwd=folder, check=False, capture_output=True,
                          env={"PATH": os.environ["PATH"], **invocation.env}, timeout=60)
    return tool.read(Output(exit_code=done.returncode, stderr=done.stderr, stdout=done.stdout.replace(
        str(folder).encode(), b"/workspace")), check)


@pytest.mark.parametrize(("tool", "files", "argv", "named"), [
    (ruff.TOOL, {"ruff.toml": ""}, ("ruff", "check"), "ruff.toml"),
    (ruff.TOOL, {"pyproject.toml": "[tool.ruff.lint]\n"}, ("ruff", "check"), "pyproject.toml"),
    (ruff.TOOL, {"pyproject.toml": "tool = {ruff = {}}\n"}, ("ruff", "check"), "pyproject.toml"),
    (ruff.TOOL, {"pyproject.toml": "[tool.black]\n[tool.\n"}, None, None),
    (flake8.TOOL, {".flake8": ""}, ("flake8", "pkg"), ".flake8"),
    (flake8.TOOL, {"setup.cfg": "[metadata]\n[flake8]\n"}, ("flake8", "pkg"), "setup.cfg"),
    (flake8.TOOL, {"setup.cfg": "# [flake8]\n"}, None, None),
    (pylint.TOOL, {".pylintrc": ""}, ("pylint", "pkg"), ".pylintrc"),
    (pylint.TOOL, {"pyproject.toml": "[tool.pylint.main]\n"}, ("pylint", "pkg"), "pyproject.toml"),
    (mypy.TOOL, {"mypy.ini": "[mypy]\n"}, ("mypy", "pkg"), "mypy.ini"),
    (mypy.TOOL, {"mypy.ini": "[mypy]\nfiles = x\n"}, ("mypy",), "mypy.ini"),
    (mypy.TOOL, {"setup.cfg": "[mypy]\n[other]\nfiles = x\n"}, ("mypy", "pkg"), "setup.cfg"),
    (mypy.TOOL, {"pyproject.toml": "[tool.mypy]\npackages = ['a']\n"}, ("mypy",), "pyproject.toml"),
    (mypy.TOOL, {"setup.cfg": "[metadata]\n"}, None, None),
    (pyright.TOOL, {"pyrightconfig.json": "{}"}, ("pyright",), "pyrightconfig.json"),
    (pyright.TOOL, {"pyproject.toml": "[tool.basedpyright]\n"}, ("basedpyright",), "pyproject.toml"),
])
def test_a_linter_is_found_by_its_configuration(tmp_path, tool, files, argv, named):
    check = tool.detect(project(tmp_path, {**PACKAGE, **files}))

    assert check == (Check(kind=Kind.LINT, tool=tool.name, argv=argv, found_in=named) if argv else None)


@pytest.mark.parametrize(("tool", "command"), [
    (ruff.TOOL, "ruff check"), (ruff.TOOL, "python3 -m ruff check ."), (ruff.TOOL, "uv run --with x ruff check"),
    (flake8.TOOL, "/opt/bin/flake8"), (pylint.TOOL, "poetry run pylint pkg"), (mypy.TOOL, "python -X dev -m mypy"),
    (mypy.TOOL, "env A=1 mypy"), (pyright.TOOL, "npx pyright"),
])
def test_a_command_of_a_linter_is_recognised(tool, command):
    assert tool.recognise(tuple(command.split()))


@pytest.mark.parametrize("command", ["ruff format --check", "python ruff check", "echo mypy", "python -m", "uv run", "", "env"])
def test_another_command_is_not(command):
    assert not any(tool.recognise(tuple(command.split()))
                   for tool in (ruff.TOOL, flake8.TOOL, pylint.TOOL, mypy.TOOL, pyright.TOOL))


@pytest.mark.parametrize(("tool", "given", "prepared"), [
    (ruff.TOOL, ("ruff", "check", "--output-format", "concise", "-n", "a.py"),
     ("ruff", "check", "-n", "a.py", "--output-format=json")),
    (ruff.TOOL, ("ruff", "check", "--output-format=github", "--", "-odd.py"),
     ("ruff", "check", "--output-format=json", "--no-cache", "--", "-odd.py")),
    (pylint.TOOL, ("pylint", "-f", "colorized", "pkg"), ("pylint", "pkg", "--output-format=json", "--persistent=n")),
    (pyright.TOOL, ("pyright", "--outputjson"), ("pyright", "--outputjson")),
])
def test_the_machine_format_takes_the_place_of_the_one_asked_for(tool, given, prepared):
    assert tool.prepare(Check(kind=Kind.LINT, tool=tool.name, argv=given), Ask()).argv == prepared


@pytest.mark.parametrize(("version", "argv"), [("1.10.1", ("mypy", ".")), ("1.11.0", ("mypy", ".", "--output=json"))])
def test_mypy_is_asked_for_json_where_it_has_it(tmp_path, version, argv):
    folder = project(tmp_path, {
        ".venv/pyvenv.cfg": "", f".venv/lib/python3.11/site-packages/mypy-{version}.dist-info/METADATA": ""})
    program(tmp_path / ".venv/bin/mypy")

    assert mypy.modern(folder, ("mypy", ".")) == argv


def test_the_real_ruff_is_read(tmp_path):
    project(tmp_path, {**PACKAGE, "pkg/bad.py": "def f(:\n", "ruff.toml": "lint.select = ['F', 'S']\n"})

    reading = run(ruff.TOOL, tmp_path, "ruff", "check", "pkg/a.py")

    assert (reading.channel, reading.findings, reading.notes) == (Channel.STREAM, (
        LintResult(tool="ruff", rule="F401", message="`os` imported but unused", path="pkg/a.py", line=1, column=8),), ())
    assert {(finding.path, finding.category) for finding in run(ruff.TOOL, tmp_path, "ruff", "check").findings} == {
        ("pkg/a.py", "style"), ("pkg/bad.py", "syntax")}


def test_a_real_ruff_that_cannot_start_has_judged_nothing(tmp_path):
    project(tmp_path, {"ruff.toml": "x = ["})

    reading = run(ruff.TOOL, tmp_path, "ruff", "check")

    assert (reading.channel, reading.findings, len(reading.notes)) == (Channel.EXIT_CODE, (), 1)


@pytest.mark.parametrize(("options", "channel"), [(("--output=json",), Channel.STREAM), ((), Channel.TEXT)])
def test_the_real_mypy_is_read_alike_as_json_and_as_text(tmp_path, options, channel):
    project(tmp_path, PACKAGE)

    reading = run(mypy.TOOL, tmp_path, "mypy", "pkg", *options)

    assert (reading.channel, reading.findings) == (channel, (LintResult(
        tool="mypy", rule="return-value", message='Incompatible return value type (got "str", expected "int")',
        path="pkg/a.py", line=5, column=12, severity="error", category="type"),))


def test_a_clean_run_of_the_real_mypy_has_no_findings(tmp_path):
    project(tmp_path, {"a.py": "X = 1\n"})

    reading = run(mypy.TOOL, tmp_path, "mypy", "a.py", "--output=json")

    assert (reading.channel, reading.findings, reading.notes) == (Channel.STREAM, (), ())


@pytest.mark.parametrize(("rule", "meaning"), [
    ("E999", ("syntax", "error")), ("invalid-syntax", ("syntax", "error")), ("F821", ("bug", "error")),
    ("S110", ("security", "warning")), ("SIM101", ("style", "warning")), ("ANN001", ("type", "warning")),
    ("B006", ("bug", "warning")), ("F401", ("style", "warning")), ("PLE0101", ("bug", "error")), ("odd", ("style", "warning")),
])
def test_a_family_of_rules_has_its_meaning(rule, meaning):
    assert judged(rule) == meaning
