"""Which commands judge a project."""

from __future__ import annotations

import shlex

import pytest
from looks import project

from windtunnel.checks import TOOLS, command, prepare, tool_named
from windtunnel.checks.discover import discover
from windtunnel.core.errors import UsageError
from windtunnel.core.tool import Ask, Invocation, Output, Reading
from windtunnel.core.trial import Channel, Check, Checks, ExecutionTestResult, Kind, LintResult, Status

PYTHON = {"pyproject.toml": "[tool.ruff]\n[tool.mypy]\nfiles = ['a.py']\n[tool.pytest.ini_options]\n", "a.py": ""}
PROGRAMS = ("ruff", "mypy", "pytest", "python", "make", "sh")
MAKEFILE = {"Makefile": "all: x\n\ttrue\nlint test: x\n\ttrue\nbuild := y\n"}


def found(checks: Checks) -> list[str]:
    return [f"{check.kind} {check.tool}: {shlex.join(check.argv)} ({check.found_in})" for check in checks.checks]


def test_a_project_is_judged_by_all_that_it_is_set_up_for(tmp_path):
    checks = discover(project(tmp_path, PYTHON, programs=PROGRAMS))

    assert (found(checks), checks.missing) == ([
        "lint ruff: ruff check (pyproject.toml)", "lint mypy: mypy (pyproject.toml)",
        "test pytest: pytest (pyproject.toml)"], ())


def test_an_empty_folder_has_no_checks(tmp_path):
    assert discover(project(tmp_path, programs=PROGRAMS)) == Checks()


def test_a_tool_that_is_not_installed_is_named_with_what_to_install(tmp_path):
    checks = discover(project(tmp_path, PYTHON, programs=("mypy",)))

    assert (found(checks), checks.missing) == (["lint mypy: mypy (pyproject.toml)"], (
        "ruff: ruff is not installed (to install it: pip install ruff)",
        "pytest: pytest is not installed (to install it: pip install pytest in the project's environment)"))


def test_a_given_command_wins_over_all_that_was_found(tmp_path):
    checks = discover(project(tmp_path, PYTHON, programs=PROGRAMS), lint="ruff check src", test="python -m pytest -q 'a b'")

    assert checks == Checks(checks=(
        Check(kind=Kind.LINT, tool="ruff", argv=("ruff", "check", "src")),
        Check(kind=Kind.TEST, tool="pytest", argv=("python", "-m", "pytest", "-q", "a b"))))


def test_an_empty_command_means_none_of_its_kind(tmp_path):
    checks = discover(project(tmp_path, PYTHON, programs=PROGRAMS), lint="", test=" ")

    assert checks == Checks()


def test_a_command_may_be_given_as_words(tmp_path):
    checks = discover(project(tmp_path, programs=PROGRAMS), test=["pytest", "a*b; c"])

    assert checks.of(Kind.TEST) == (Check(kind=Kind.TEST, tool="pytest", argv=("pytest", "a*b; c")),)


@pytest.mark.parametrize("text", [
    "pytest | tee log", "make && pytest", "a; b", "pytest $X", "pytest > out", "pytest tests/*.py", 'pytest "$X"',
    'pytest "`x`"', r'pytest "a\$b"', "cd sub", "pytest &", "(pytest)", "pytest # words", "ls ~/x", "pytest\npytest", "! pytest",
])
def test_a_command_in_the_shells_language_is_run_by_a_shell(tmp_path, text):
    checks = discover(project(tmp_path, programs=PROGRAMS), test=text)

    assert checks.checks == (Check(kind=Kind.TEST, tool="command", argv=("sh", "-c", text)),)


@pytest.mark.parametrize(("text", "words"), [
    ("pytest 'a*b'", ("pytest", "a*b")), ('pytest -k "a and not b"', ("pytest", "-k", "a and not b")),
    ("pytest t.py::a[1]", ("pytest", "t.py::a[1]")), (r"pytest a\;b", ("pytest", "a;b")),
    ("A=1 B='x y' pytest", ("env", "A=1", "B=x y", "pytest")),
])
def test_a_plain_command_is_taken_apart_and_its_tool_recognised(tmp_path, text, words):
    checks = discover(project(tmp_path, programs=PROGRAMS), test=text)

    assert checks.checks == (Check(kind=Kind.TEST, tool="pytest", argv=words),)


@pytest.mark.parametrize("text", ["pytest 'a", "pytest \0", "x" * 100_000])
def test_a_command_that_is_none_is_refused(tmp_path, text):
    with pytest.raises(UsageError) as raised:
        discover(project(tmp_path, programs=PROGRAMS), test=text)

    assert raised.value.field == "test_command"


def test_a_command_whose_program_is_not_there_is_refused_with_what_to_install(tmp_path):
    with pytest.raises(UsageError) as raised:
        discover(project(tmp_path), lint="A=1 ruff check")

    assert str(raised.value) == "lint_command: there is no program 'ruff' here (pip install ruff)"


def test_a_makefile_is_used_where_nothing_better_is_there(tmp_path):
    assert found(discover(project(tmp_path, MAKEFILE, programs=PROGRAMS))) == [
        "build make build: make all (Makefile)", "lint make lint: make lint (Makefile)", "test make test: make test (Makefile)"]


def test_a_makefile_gives_way_to_a_tool_also_to_one_that_is_missing(tmp_path):
    checks = discover(project(tmp_path, {**PYTHON, **MAKEFILE}, programs=("make", "ruff", "mypy")))

    assert [check.tool for check in checks.checks] == ["make build", "ruff", "mypy"]


@pytest.mark.parametrize(("files", "programs", "argv"), [
    ({"pyproject.toml": "[build-system]\nbuild-backend = 'hatchling.build'\n"}, ("python", "pyproject-build"), None),
    ({"setup.py": "from setuptools import setup\nsetup()\n"}, ("python",), None),
    ({"setup.py": "setup(ext_modules=[Extension('a', ['a.c'])])\n"}, ("python",), "python setup.py build_ext --inplace"),
    ({"pyproject.toml": "[build-system]\nbuild-backend = 'mesonpy'\n"}, ("python",), None),
    ({"pyproject.toml": "[build-system]\nbuild-backend = 'maturin'\n"}, ("python", "pyproject-build"),
     "python -m build --no-isolation --wheel"),
])
def test_a_python_project_is_built_only_where_something_is_compiled(tmp_path, files, programs, argv):
    builds = discover(project(tmp_path, files, programs=programs)).of(Kind.BUILD)

    assert [shlex.join(check.argv) for check in builds] == ([argv] if argv else [])


def test_variables_before_a_command_become_those_of_the_run():
    check = Check(kind=Kind.LINT, tool="ruff", argv=("env", "A=1", "ruff", "check"))

    assert prepare(check, Ask()) == Invocation(argv=("ruff", "check", "--output-format=json", "--no-cache"), env={"A": "1"})


def test_names_of_tools_are_unique_and_lead_to_them():
    assert [tool_named(tool.name) for tool in TOOLS] == list(TOOLS)
    assert tool_named("nobody knows this") is command.TOOL


def test_an_unknown_test_command_stands_for_one_test_by_its_exit_code():
    check = Check(kind=Kind.TEST, tool="command", argv=("sh", "-c", "cd x && ./run"))

    assert command.read(Output(exit_code=0, stdout=b"all well\n"), check) == Reading(
        channel=Channel.EXIT_CODE, notes=("only the exit code of `cd x && ./run` is known, not which tests ran",),
        tests=(ExecutionTestResult(id="cd x && ./run", status=Status.PASSED, tool="command"),))


@pytest.mark.parametrize("words", [b"no tests ran in 0.01s", b"Ran 0 tests in 0.000s\n\nOK", b"TAP version 13\n1..0"])
def test_an_unknown_test_command_that_says_that_it_ran_nothing_has_not_passed(words):
    check = Check(kind=Kind.TEST, tool="command", argv=("make", "test"))

    assert [test.status for test in command.read(Output(exit_code=0, stdout=words), check).tests] == [Status.ERROR]


def test_a_command_that_failed_although_all_its_tests_passed_has_failed():
    reading = command.read(Output(exit_code=3, stdout=b"ok 1 - a\n"), Check(kind=Kind.TEST, tool="command", argv=("./run",)))

    assert [(test.id, test.status) for test in reading.tests] == [("a", Status.PASSED), ("./run", Status.FAILED)]


@pytest.mark.parametrize(("line", "seen"), [
    (b"tests/test_a.py::test_b[x y] PASSED      [ 50%]", ("tests/test_a.py::test_b[x y]", Status.PASSED)),
    (b"test_a (pkg.Case.test_a) ... FAIL", ("test_a (pkg.Case.test_a)", Status.FAILED)),
    (b"test_a (pkg.Case.test_a) ... skipped 'why'", ("test_a (pkg.Case.test_a)", Status.SKIPPED)),
    (b"    --- FAIL: TestA/sub (0.01s)", ("TestA/sub", Status.FAILED)),
    (b"test tests::adds ... ok", ("tests::adds", Status.PASSED)),
    (b"not ok 3 - later # TODO not yet", ("later", Status.XFAILED)),
])
def test_tests_are_read_from_words_as_the_last_resort(line, seen):
    reading = command.read(Output(exit_code=0, stdout=line), Check(kind=Kind.TEST, tool="command", argv=("x",)))

    assert (reading.channel, [(test.id, test.status) for test in reading.tests][:1]) == (Channel.TEXT, [seen])


def test_findings_are_read_from_words_as_the_last_resort():
    check = Check(kind=Kind.BUILD, tool="make build", argv=("make",))
    output = Output(exit_code=2, stdout=b"cc -c a.c\n", stderr=(
        b"/workspace/a.c:3:5: error: expected ';'\na.c:9: warning: unused\nwould reformat b.py\n"
        b"see http://example.org:80: words\nmake: *** [Makefile:2: a.o] Error 1\n"))

    assert command.read(output, check) == Reading(channel=Channel.TEXT, findings=(
        LintResult(tool="make", rule="text", message="expected ';'", path="a.c", line=3, column=5, severity="error", category="bug"),
        LintResult(tool="make", rule="text", message="unused", path="a.c", line=9),
        LintResult(tool="make", rule="format", message="would be reformatted", path="b.py"),
    ), notes=("findings were read from the words that `make` printed, as the last resort",))
