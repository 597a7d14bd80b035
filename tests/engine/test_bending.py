"""Changes that reach for the verdict: each deceives the plain runner, and none deceives a trial."""

import functools
import os
import re
import subprocess
import sys
import time
from xml.etree import ElementTree as ET

import pytest
from trials import (
    BROKEN_SHOP,
    CALC,
    ONE_RUNNER,
    OTHER,
    QUICK,
    SHOP,
    TESTS,
    WRONG,
    applied,
    create,
    delete,
    modify,
    naive,
    write,
)

from windtunnel.core.change import ChangeSet
from windtunnel.core.result import Reason
from windtunnel.core.trial import Channel, Check, CheckReport, Delta, ExecutionTestResult, Kind, Status, Verdict
from windtunnel.engine.bending import bending
from windtunnel.tamper import Pristine

REPORTS = "import pytest\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport():\n    report = (yield).get_result()\n    report.outcome = 'passed'\n"
EQUAL = "class Sum:\n    def __eq__(self, other):\n        return True\n    __hash__ = None\ndef add(a, b):\n    return Sum()\n"
JUNIT = ("import atexit, os\ndef forge():\n    open('report.xml', 'w').write('<testsuites><testsuite tests=\"2\" failures=\"0\" errors=\"0\"/></testsuites>')\n"
         "    os._exit(0)\natexit.register(forge)\n")
PIPE = ("import os\nfor number in range(3, 4096):\n    try: os.write(number, b'test_add PASSED\\n')\n    except OSError: pass\n"
        "os.write(1, b'\\x1e' + b'0' * 32 + b' {\"n\": 3, \"kind\": \"test\", \"id\": \"test_calc.py::test_add\", \"status\": \"passed\"}\\n')\n")
WORDS = "import os\nos.write(1, b'test_calc.py::test_add PASSED\\ntest_calc.py::test_zero PASSED\\n2 passed in 0.01s\\n')\nos._exit(0)\n"
MARKED = TESTS.replace("def test_add", "@pytest.mark.{}\ndef test_add").replace("import calc", "import calc\nimport pytest")
ROWS = {
    "X01": [modify("calc.py", f"import os\n{WRONG}os._exit(0)\n")],
    "X02": [modify("calc.py", f"import atexit, os\n{WRONG}atexit.register(os._exit, 0)\n")],
    "X03": [create("conftest.py", REPORTS)],
    "X04": [create("pytest.py", "print('2 passed')\n")],
    "X05": [create("pytest.ini", "[pytest]\naddopts = --collect-only\n")],
    "X06": [modify("calc.py", EQUAL)],
    "X07": [create("sitecustomize.py", "import os, sys\nif 'pytest' in ' '.join(sys.orig_argv): os._exit(0)\n")],
    "X08": [modify("calc.py", WRONG + JUNIT)],
    "X09": [modify("calc.py", WRONG + PIPE)],
    "X10": [modify("calc.py", WRONG + WORDS)],
    "X11 deleted": [delete("test_calc.py"), create("test_other.py", "def test_other(): pass\n")],
    "X11 skipped": [modify("test_calc.py", MARKED.format("skip"))],
    "X11 expected to fail": [modify("test_calc.py", MARKED.format("xfail"))],
}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """One of its two tests fails."""
    return write(tmp_path_factory.mktemp("cheated"), BROKEN_SHOP)


def deceived_by_pipe(copy):
    """Somebody who has the results sent through a pipe that the tests inherit."""
    heard, sent = os.pipe()
    with os.fdopen(heard, "rb") as results:
        subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"], cwd=copy, pass_fds=[sent], check=False,
                       capture_output=True, env={"PATH": os.environ["PATH"], **QUICK})
        os.close(sent)
        return results.read() == b"test_add PASSED\n"


def deceived_by_report(copy):
    naive(copy, "--junitxml=report.xml")
    return [suite.get("failures") for suite in ET.parse(copy / "report.xml").iter("testsuite")] == ["0"]


def deceived(name, copy):
    """Whether somebody who trusts the exit code, the report, the pipe or the words would take the change."""
    if name == "X08":
        return deceived_by_report(copy)
    if name == "X09":
        return deceived_by_pipe(copy)
    done = naive(copy, *(["-s"] if name == "X10" else []), env={"PYTHONPATH": str(copy)} if name == "X07" else {})
    return done.returncode == 0 and (name != "X10" or "2 passed" in done.stdout)


@pytest.fixture(scope="module")
def tried(tunnel, project):
    """The result of each cheat, which is tried once."""
    return functools.cache(lambda name: tunnel.try_change(project, ROWS[name], **ONE_RUNNER))


@pytest.mark.parametrize("name", ROWS)
def test_no_cheat_is_good(tried, name):
    result = tried(name)

    assert result.verdict is Verdict.NOT_GOOD
    assert "test_calc.py::test_add" not in (*result.delta.fixed, *result.delta.flaky) or result.tamper


@pytest.mark.parametrize("name", ROWS)
def test_the_same_cheat_deceives_the_plain_runner(project, tmp_path, name):
    assert deceived(name, applied(tmp_path / "copy", project, ROWS[name]))


def test_the_plain_runner_is_not_deceived_without_a_cheat(project, tmp_path):
    assert naive(applied(tmp_path / "copy", project, [])).returncode == 1


@pytest.mark.parametrize(("name", "rule"), [
    ("X01", "exits-early"), ("X03", "conftest|runner"), ("X04", "shadow"), ("X05", "runner"), ("X06", "equal"), ("X07", "start|interpreter|runner"),
    ("X11 deleted", "test"), ("X11 skipped", "skip|silenced"), ("X11 expected to fail", "xfail|expected|silenced|skip")])
def test_a_cheat_is_called_by_its_name(tried, name, rule):
    result = tried(name)

    assert [finding for finding in result.tamper if finding.severity == "block" and re.search(rule, f"{finding.rule} {finding.message}")], result.tamper


@pytest.mark.parametrize("code", [124, 137])
def test_an_exit_code_is_not_taken_for_a_limit(tunnel, project, code):
    result = tunnel.try_change(project, [modify("calc.py", f"import sys\n{WRONG}sys.exit({code})\n")], **ONE_RUNNER, rerun=False)

    assert (result.verdict, [report.reason for report in result.reports]) == (Verdict.NOT_GOOD, [Reason.EXITED])
    assert not [reason for reason in result.reasons if "stopped" in reason]


LATER = ("import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', \"import time; time.sleep(0.7); open('{}', 'w').write('late')\"],"
         " start_new_session=True)\n")


def test_nothing_is_written_after_the_verdict(tunnel, tmp_path):
    project = write(tmp_path / "project", BROKEN_SHOP)
    result = tunnel.try_change(project, [modify("calc.py", CALC + LATER.format("/workspace/late.txt"))], **ONE_RUNNER)

    time.sleep(1.0)  # what is looked for would happen by then
    assert (len(result.effects.processes_left), (project / "late.txt").exists()) == (1, False)
    assert "late.txt" not in {file.path.rpartition("/")[2] for file in result.effects.files}


def test_the_plain_runner_lets_it_write_after_its_verdict(tmp_path):
    copy = write(tmp_path / "copy", {**SHOP, "calc.py": CALC + LATER.format(tmp_path / "late.txt")})
    assert naive(copy).returncode == 0
    assert not (tmp_path / "late.txt").exists()

    until = time.monotonic() + 10
    while not (tmp_path / "late.txt").exists() and time.monotonic() < until:
        time.sleep(0.02)

    assert (tmp_path / "late.txt").exists()


TWO = {**SHOP, "sub.py": "def sub(a, b): return a - b\n", "test_sub.py": "import sub\ndef test_sub(): assert sub.sub(3, 1) == 2\n"}
WRITES = "open('test_sub.py', 'w').write('def test_sub(): pass\\n')\n"


def test_a_product_that_rewrites_tests_while_they_are_collected_is_not_good(tunnel, tmp_path):
    project = write(tmp_path / "project", TWO)
    changes = [modify("calc.py", CALC + WRITES), modify("sub.py", "def sub(a, b): return 0\n")]

    result = tunnel.try_change(project, changes, **ONE_RUNNER)

    assert naive(applied(tmp_path / "copy", project, changes)).returncode == 0, "the plain runner is deceived"
    assert result.verdict is Verdict.NOT_GOOD
    assert "1 file that decides, rewritten by a check: /workspace/test_sub.py" in result.reasons


@pytest.mark.parametrize("written", ["test_sub.py", "pytest.ini", "conftest.py"])
def test_a_build_that_rewrites_what_decides_is_not_good(tunnel, tmp_path, written):
    project = write(tmp_path, {**TWO, "build.sh": "true\n"})

    result = tunnel.try_change(project, [modify("build.sh", f"printf 'def test_sub(): pass\\n#' > {written}\n")], **{**ONE_RUNNER, "build": "sh build.sh"})

    assert result.verdict is Verdict.NOT_GOOD
    assert [reason for reason in result.reasons if f"/workspace/{written}" in reason], result.reasons


def test_a_feature_with_its_tests_is_good(tunnel, project):
    feature = CALC + "def double(a):\n    return 2 * a\n"
    tests = TESTS + "\n\ndef test_double():\n    assert calc.double(4) == 8\n"

    result = tunnel.try_change(project, [modify("calc.py", feature), modify("test_calc.py", tests)], **ONE_RUNNER)

    assert (result.verdict, result.delta) == (Verdict.GOOD, Delta(
        fixed=("test_calc.py::test_add",), new=("test_calc.py::test_double",), still_passing=1))
    assert "laid over the change as it was: test_calc.py" in result.notes


# --- from reports alone ---

PYTEST = Check(kind=Kind.TEST, tool="pytest", argv=("pytest",))


def report(*, exit_code=0, tests=(), **fields):
    found = tuple(ExecutionTestResult(id=name, status=Status(status), path=name.split("::")[0]) for name, status in tests)
    return CheckReport(check=PYTEST, exit_code=exit_code, reason=Reason.EXITED, execution_time=0.1, channel=Channel.LIVE, tests=found, **fields)


def bent(before, after, proposed=(), *, delta=None, changes=(), files=None):
    return bending([before], [after], list(proposed), delta=delta or Delta(), changes=ChangeSet(changes=tuple(changes)), read=(files or {}).get,
                   laid_over=Pristine(changes=ChangeSet(changes=()), laid_over=(), dropped=()), tests={})


def rules(found):
    return [finding.rule for finding in found.findings if finding.severity == "block"]


def test_hands_on_the_runner_are_found():
    assert rules(bent(report(), report(interfered=("print was replaced",)))) == ["runner-interfered-with"]


def test_hands_that_the_unchanged_project_has_there_too_are_not():
    assert rules(bent(report(interfered=("print was replaced",)), report(interfered=("print was replaced",)))) == []


def test_forged_records_are_found():
    assert rules(bent(report(), report(forged=2))) == ["forged-results"]


def test_hands_on_the_runner_in_the_proposed_run_alone_are_found():
    assert rules(bent(report(), report(), [report(forged=1)])) == ["forged-results"]


def test_a_command_that_fails_without_a_failing_test_is_found():
    good = [("t.py::a", "passed")]

    assert rules(bent(report(tests=good), report(tests=good, exit_code=1))) == ["command-failed"]


def test_a_command_that_failed_before_as_well_is_not():
    good = [("t.py::a", "passed")]

    assert rules(bent(report(tests=good, exit_code=1), report(tests=good, exit_code=1))) == []


def test_a_test_that_passes_only_as_the_change_edits_it_is_found():
    failing, passing = report(tests=[("t.py::a", "failed")], exit_code=1), report(tests=[("t.py::a", "passed")])

    assert rules(bent(failing, failing, [passing])) == ["passes-only-as-edited"]


def test_a_test_that_no_longer_runs_as_proposed_is_found():
    passing, skipped = report(tests=[("t.py::a", "passed")]), report(tests=[("t.py::a", "skipped")])

    assert rules(bent(passing, passing, [skipped])) == ["tests-silenced"]


def test_fewer_tests_as_proposed_are_found():
    both, one = report(tests=[("t.py::a", "passed"), ("t.py::b", "passed")]), report(tests=[("t.py::a", "passed")])

    assert rules(bent(both, both, [one])) == ["tests-removed"]


SINGLE = "from calc import add\n\ndef test_one():\n    assert add(1, 2) == 3\n\ndef test_two():\n    assert add(5, 7) == 12\n"
ROWS_OF_ONE = ("import pytest\nfrom calc import add\n\n@pytest.mark.parametrize('rows', [[(1, 2, 3), (5, 7, 12)]])\ndef test_rows(rows):\n"
               "    for a, b, c in rows:\n        assert add(a, b) == c\n")
BOTH = [("test_t.py::test_one", "passed"), ("test_t.py::test_two", "passed")]


def test_tests_that_became_rows_of_one_test_are_shown():
    old, one = report(tests=BOTH), report(tests=[("test_t.py::test_rows[rows0]", "passed")])

    found = bent(old, old, [one], changes=[modify("test_t.py", ROWS_OF_ONE)], files={"test_t.py": SINGLE.encode()})

    assert [(each.rule, each.severity) for each in found.findings] == [("tests-removed", "show")]


def test_a_test_that_is_still_in_its_file_and_does_not_run_is_found():
    old, none = report(tests=BOTH), report(tests=[("test_t.py::test_one", "passed")])
    hidden = f"{SINGLE}\ndel globals()['test_two']\n"

    assert rules(bent(old, old, [none], changes=[modify("test_t.py", hidden)], files={"test_t.py": SINGLE.encode()})) == ["tests-removed"]


def test_tests_of_a_renamed_module_may_be_renamed_with_it():
    moved = [(name.replace("test_t.py", "test_sums.py"), status) for name, status in BOTH]
    old, gone, new = report(tests=BOTH), report(tests=[("test_t.py", "error")], exit_code=2), report(tests=moved)
    changes = [delete("calc.py"), create("sums.py", "def add(a, b):\n    return a + b\n"), delete("test_t.py"),
               create("test_sums.py", SINGLE.replace("calc", "sums"))]
    files = {"test_t.py": SINGLE.encode(), "calc.py": b"def add(a, b):\n    return a + b\n"}
    delta = Delta(vanished=tuple(name for name, _ in BOTH), new_failing=("test_t.py",))

    found = bent(old, gone, [new], delta=delta, changes=changes, files=files)

    assert (rules(found), found.no_longer_apply) == ([], {"test_t.py", *(name for name, _ in BOTH)})


LAXLY = ("class Sum(int):\n    def __eq__(self, other):\n        return abs(int(self) - other) < 9\n    __hash__ = int.__hash__\n"
         "def add(a, b):\n    return Sum(a - b)\n")


@pytest.mark.parametrize(("fixed", "severity"), [(("test_t.py::test_one",), "block"), ((), "show")])
def test_values_that_compare_laxly_count_where_a_test_was_gained(fixed, severity):
    found = bent(report(tests=BOTH), report(tests=BOTH), delta=Delta(fixed=fixed), changes=[modify("calc.py", LAXLY)],
                 files={"calc.py": b"def add(a, b):\n    return a - b\n"})

    assert [(each.rule, each.severity) for each in found.findings] == [("compares-laxly", severity)]


def test_a_product_change_that_keeps_its_promises_is_left_alone(tunnel, project):
    result = tunnel.try_change(project, [modify("calc.py", OTHER)], **ONE_RUNNER)

    assert (result.verdict, result.tamper) == (Verdict.GOOD, ())
