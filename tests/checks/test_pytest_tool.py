"""pytest through our script, as a plain process: every outcome, every selection, and every cheat we know."""

import pytest
from live_runner import KEY, Files, Runner

from windtunnel.checks.pytest import TOOL
from windtunnel.core.tool import Ask, Output
from windtunnel.core.trial import Channel, Check, Kind

PLAIN = "def test_one():\n    assert 1 == 1\n\ndef test_two():\n    assert 1 == 2\n"
HONEST = {"test_a.py::test_one": "passed", "test_a.py::test_two": "failed"}
OUTCOMES = """
import pytest
import unittest

def test_good(): pass
def test_assertion(): assert 1 == 2, "they differ"
def test_exception(): raise KeyError("lost")
def test_import(): import no_such_module
def test_timeout(): raise TimeoutError("slow")
def test_fail(): pytest.fail("said so")
@pytest.mark.skip(reason="not here")
def test_skip(): pass
@pytest.mark.xfail(reason="known")
def test_expected(): assert 0
@pytest.mark.xfail(run=False, reason="never")
def test_not_run(): assert 0
@pytest.mark.xfail(reason="known")
def test_surprise(): pass
@pytest.mark.xfail(strict=True, reason="known")
def test_strict_surprise(): pass
@pytest.fixture
def broken(): raise ValueError("no set-up")
def test_setup(broken): pass
@pytest.fixture
def late():
    yield
    raise ValueError("no teardown")
def test_teardown(late): pass
class TestCase(unittest.TestCase):
    def test_unit(self): self.assertEqual(1, 2)
    def test_parts(self):
        for number in range(3):
            with self.subTest(number=number): self.assertEqual(number, 1)
"""


@pytest.fixture
def runner(tmp_path):
    return Runner(tmp_path, TOOL)


def test_every_outcome_has_its_status_category_and_place(runner):
    runner.put("tests/test_a.py", OUTCOMES).put("tests/test_b.py", "import no_such_module\n")
    runner.put("tests/test_c.py", "import pytest\npytest.skip('elsewhere', allow_module_level=True)\n")

    reading = runner.read()

    found = {test.id.rpartition("::")[2]: (str(test.status), test.category, test.message.split("\n")[0], test.line)
             for test in reading.tests}
    place = found.pop("tests/test_b.py")
    assert (place[:2], place[3]) == (("error", "collection"), None)
    assert found == {
        "tests/test_c.py": ("skipped", "", "elsewhere", None),
        "test_good": ("passed", "", "", 5),
        "test_assertion": ("failed", "assertion", "AssertionError: they differ", 6),
        "test_exception": ("failed", "exception", "KeyError: 'lost'", 7),
        "test_import": ("failed", "import", "ModuleNotFoundError: No module named 'no_such_module'", 8),
        "test_timeout": ("failed", "timeout", "TimeoutError: slow", 9),
        "test_fail": ("failed", "assertion", "Failed: said so", 10),
        "test_skip": ("skipped", "", "not here", 11),
        "test_expected": ("xfailed", "", "known", 13),
        "test_not_run": ("xfailed", "", "[NOTRUN] never", 15),
        "test_surprise": ("xpassed", "", "known", 17),
        "test_strict_surprise": ("failed", "assertion", "[XPASS(strict)] known", 19),
        "test_setup": ("error", "exception", "ValueError: no set-up", 23),
        "test_teardown": ("error", "exception", "ValueError: no teardown", 28),
        "test_unit": ("failed", "assertion", "AssertionError: 1 != 2", 30),
        "test_parts": ("failed", "assertion", "AssertionError: 0 != 1", 31),
    }
    assert {test.path for test in reading.tests} == {"tests/test_a.py", "tests/test_b.py", "tests/test_c.py"}
    assert (reading.channel, reading.notes) == (Channel.LIVE, ())


def test_only_the_selected_tests_run_in_the_order_asked_for(runner):
    runner.put("a/test_a.py", "import pytest\n@pytest.mark.parametrize('x', ['1', 'x::y'])\ndef test_a(x): pass\n")
    runner.put("test_b.py", PLAIN).put("test_c.py", "raise SystemExit('not to be loaded')")
    chosen = ("test_b.py::test_two", "a/test_a.py::test_a[x::y]", "gone.py::test_x", "test_b.py::gone", "test_b.py::test_one")

    assert list(runner.statuses(select=chosen)) == [chosen[0], chosen[1], chosen[4]]


def test_a_file_stands_for_all_its_tests_in_their_order(runner):
    runner.put("test_a.py", "def test_two(): pass\ndef test_one(): pass\n").put("test_b.py", "def test_x(): pass\n")

    assert list(runner.statuses(select=("test_b.py", "test_a.py"))) == [
        "test_b.py::test_x", "test_a.py::test_two", "test_a.py::test_one"]


@pytest.mark.parametrize("select", [None, ("test_a.py", "test_b.py")])
def test_tests_that_are_wanted_first_run_first_and_the_others_after_them(runner, select):
    runner.put("test_a.py", "def test_one(): pass\ndef test_two(): pass\n").put("test_b.py", "def test_x(): pass\n")

    assert list(runner.statuses(select=select, first=("test_b.py::test_x", "test_a.py::test_two", "gone"))) == [
        "test_b.py::test_x", "test_a.py::test_two", "test_a.py::test_one"]


def test_selecting_nothing_that_exists_runs_nothing(runner):
    reading = runner.put("test_a.py", PLAIN).read(select=("gone.py::test_x",))

    assert (reading.tests, reading.notes) == ((), ("no test was executed",))


def test_ids_are_relative_to_the_project_where_pytest_has_its_root_below(runner):
    runner.put("sub/pytest.ini", "[pytest]\n").put("sub/test_a.py", PLAIN)

    assert runner.statuses("pytest", "sub") == {f"sub/{name}": status for name, status in HONEST.items()}
    assert list(runner.statuses("pytest", "sub", select=("sub/test_a.py::test_two",))) == ["sub/test_a.py::test_two"]


def test_fail_fast_stops_and_leaves_the_rest_out(runner):
    runner.put("test_a.py", "def test_a(): assert 0\ndef test_b(): pass\n")

    reading = runner.read(fail_fast=True)

    assert [test.id for test in reading.tests] == ["test_a.py::test_a"]
    assert reading.notes == ("the runner stopped early (stopping after 1 failures): 1 of 2 tests were not reported",)


def test_a_pattern_chooses_by_name(runner):
    assert runner.put("test_a.py", PLAIN).statuses(pattern="one") == {"test_a.py::test_one": "passed"}


def test_arguments_of_the_command_are_kept(runner):
    runner.put("test_a.py", PLAIN)

    assert list(runner.statuses("uv", "run", "pytest", "-q", "test_a.py::test_one")) == ["test_a.py::test_one"]


def test_only_the_module_form_finds_modules_of_the_current_folder(runner):
    runner.put("product.py", "").put("tests/test_a.py", "import product\ndef test_a(): pass\n")

    assert runner.statuses("python3", "-m", "pytest") == {"tests/test_a.py::test_a": "passed"}
    assert runner.statuses("pytest") == {"tests/test_a.py": "error"}
    assert runner.statuses("env", "PYTHONPATH=.", "pytest") == {"tests/test_a.py::test_a": "passed"}


def test_tests_asked_to_run_in_several_processes_run_in_one(runner):
    runner.put("pytest.ini", "[pytest]\naddopts = -n 2 --dist loadfile\n").put("test_a.py", PLAIN)

    assert runner.statuses() == HONEST


def test_a_spawned_process_does_not_run_the_tests_again(runner):
    runner.put("work.py", "def work(): return 7\n").put("test_a.py", """
import multiprocessing
import work
def test_a():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(work.work) == 7
""")

    assert runner.statuses() == {"test_a.py::test_a": "passed"}


def test_a_forked_copy_of_the_runner_reports_nothing(runner):
    runner.put("test_a.py", "import os\ndef test_a():\n    global child\n    child = os.fork()\ndef test_b():\n    pass\n"
                            "def test_c():\n    if not child: os._exit(0)\n    os.waitpid(child, 0)\n")
    output = runner.output()

    assert output.forged == 0
    assert [record["id"] for record in output.records if record["kind"] == "test"] == [
        "test_a.py::test_a", "test_a.py::test_b", "test_a.py::test_c"]


def test_very_many_and_very_long_ids_arrive_whole(runner):
    runner.put("test_a.py", "import pytest\n@pytest.mark.parametrize('x', ['\\u00e9' * 3000 + str(n) for n in range(300)])\n"
                            "def test_a(x): assert x == ''\n")
    first = runner.read("pytest", "-q", "--tb=no")

    again = runner.statuses(select=(first.tests[7].id,))

    assert len({test.id for test in first.tests}) == 300
    assert again == {first.tests[7].id: "failed"}
    assert first.notes == ()


def test_a_traced_run_tells_the_code_of_each_test_its_module_and_its_fixtures(runner):
    runner.put("product.py", "X = 1\ndef one():\n    return two()\ndef two():\n    return 2\ndef three():\n    return 3\n")
    runner.put("conftest.py", "import pytest\n@pytest.fixture(scope='session')\ndef shared():\n    import product\n"
                              "    return product.three()\n")
    runner.put("test_a.py", "import product\ndef test_one():\n    assert product.one() == 2\n"
                            "def test_first(shared):\n    pass\ndef test_second(shared):\n    pass\n")

    touched = runner.read(trace=True).touched

    loaded = {"conftest.py:0", "product.py:0", "test_a.py:0"}
    assert {name: set(code) - loaded for name, code in touched.items()} == {
        "test_a.py::test_one": {"product.py:2", "product.py:4", "test_a.py:2"},
        "test_a.py::test_first": {"conftest.py:2", "product.py:6", "test_a.py:4"},
        "test_a.py::test_second": {"conftest.py:2", "product.py:6", "test_a.py:6"},
    }
    assert all(loaded <= set(code) for code in touched.values())


def test_a_run_that_only_collects_executed_nothing(runner):
    reading = runner.put("test_a.py", PLAIN).put("pytest.ini", "[pytest]\naddopts = --collect-only\n").read()

    assert (reading.tests, reading.notes) == ((), ("no test was executed",))


def test_a_run_that_only_sets_up_passes_nothing(runner):
    runner.put("test_a.py", PLAIN)

    assert set(runner.statuses("pytest", "--setup-only").values()) == {"skipped"}


def test_leaving_at_import_is_no_pass(runner):
    runner.put("test_a.py", "import product\n" + PLAIN).put("product.py", "import os\nos._exit(0)\n")

    output = runner.output()

    reading = TOOL.read(output, runner.check(()))
    assert output.exit_code == 0
    assert (reading.tests, reading.notes) == (
        (), ("the runner ended before its tests were collected: exit code 0", "no test was executed"))


def test_leaving_during_a_test_makes_it_and_the_rest_crashes(runner):
    runner.put("test_a.py", "import os\ndef test_a(): pass\ndef test_b(): os._exit(0)\ndef test_c(): pass\n")

    reading = runner.read()

    assert [(test.id, str(test.status), test.category) for test in reading.tests] == [
        ("test_a.py::test_a", "passed", ""), ("test_a.py::test_b", "error", "crash"), ("test_a.py::test_c", "error", "crash")]
    assert reading.notes == ("the runner ended before its last test: 2 of 3 tests were not reported",)


def test_a_killed_runner_is_a_crash(runner):
    runner.put("test_a.py", "import os\ndef test_a(): os.kill(os.getpid(), 9)\n")

    assert [(test.category, test.message) for test in runner.read().tests] == [("crash", "the runner ended during this test")]


def test_an_exit_code_changed_after_the_end_is_told(runner):
    runner.put("test_a.py", "import product\n" + PLAIN)
    runner.put("product.py", "import atexit, os\natexit.register(os._exit, 0)\n")

    reading = runner.read()

    assert reading.notes == ("the exit code became 0 after the runner had ended with 1",)
    assert {test.id: str(test.status) for test in reading.tests} == HONEST


@pytest.mark.parametrize("call", ["sys.exit(0)", "pytest.exit('done', 0)"])
def test_an_early_exit_leaves_crashes_and_not_passes(runner, call):
    runner.put("conftest.py", f"import sys, pytest\n\ndef pytest_runtest_setup(item):\n    if 'two' in item.name: {call}\n")

    assert runner.put("test_a.py", PLAIN).statuses()["test_a.py::test_two"] == "error"


@pytest.mark.parametrize("name", ["pytest", "_pytest", "sitecustomize", "usercustomize", "json", "hashlib", "pluggy", "hmac"])
def test_a_module_of_the_project_cannot_stand_for_one_of_the_runner(runner, name):
    runner.put(f"{name}.py", "import os\nos._exit(0)\n").put("test_a.py", PLAIN)

    assert runner.statuses("python", "-m", "pytest", env={"PYTHONPATH": "."}) == HONEST


def test_without_our_script_a_module_of_the_project_does_stand_for_pytest(runner):
    import subprocess
    import sys

    runner.put("pytest.py", "import os\nos._exit(0)\n").put("test_a.py", PLAIN)

    assert subprocess.run([sys.executable, "-m", "pytest"], cwd=runner.project, check=False).returncode == 0


def test_variables_of_pytest_are_ignored(runner):
    runner.put("test_a.py", PLAIN)

    assert runner.statuses(env={"PYTEST_ADDOPTS": "--collect-only", "PYTEST_PLUGINS": "no_such_plugin"}) == HONEST


@pytest.mark.parametrize(("cheat", "label"), [
    ("import _pytest.reports\n_pytest.reports.TestReport.passed = True", "_pytest.reports.TestReport.passed"),
    ("import unittest\nunittest.TestCase.assertEqual = lambda *a: None", "unittest.case.TestCase.assertEqual"),
    ("import unittest\nunittest.TestCase.assertEqual.__code__ = (lambda self, first, second, msg=None: None).__code__",
     "unittest.case.TestCase.assertEqual"),
    ("import builtins\nbuiltins.all = lambda values: True", "builtins.all"),
    ("import builtins\nbuiltins.AssertionError = KeyError", "builtins.AssertionError"),
    ("import _pytest.python\n_pytest.python.Function.runtest = lambda self: None", "_pytest.python.Function.runtest"),
    ("import _pytest.runner\n_pytest.runner.call_and_report = None", "_pytest.runner.call_and_report"),
    ("import os\nos._exit = lambda code: None", "os._exit"),
    ("import time\ntime.time = lambda: 0.0", "time.time"),
    ("import socket\nsocket.create_connection = None", "socket.create_connection"),
])
def test_product_code_that_replaces_what_decides_is_told(runner, cheat, label):
    runner.put("product.py", cheat + "\n").put("test_a.py", "def test_a():\n    import product\n")

    notes = "\n".join(runner.read().notes)

    assert f"the runner was interfered with: {label} was" in notes
    assert "during test_a.py::test_a" in notes


@pytest.mark.parametrize(("cheat", "label"), [
    ("import urllib.request\nurllib.request.urlopen = lambda url: None", "urllib.request.urlopen"),
    ("import http.client\nclass Fake: pass\nhttp.client.HTTPConnection = Fake", "http.client.HTTPConnection"),
])
def test_a_network_that_product_code_left_replaced_is_told(runner, cheat, label):
    runner.put("product.py", cheat + "\n").put("test_a.py", "def test_a():\n    import product\n")

    assert runner.read().notes == (f"the runner was interfered with: {label} was left replaced at the end",)


def test_a_network_that_a_test_put_back_is_not_told(runner):
    runner.put("test_a.py", """
import urllib.request, http.client, random
def test_a(monkeypatch):
    monkeypatch.setattr(urllib.request, "urlopen", lambda url: None)
    assert urllib.request.urlopen("x") is None
""")

    assert runner.read().notes == ()


def test_a_report_turned_from_failed_to_passed_keeps_its_failure(runner):
    runner.put("test_a.py", PLAIN).put("conftest.py", """
import pytest
@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    outcome.get_result().outcome = "passed"
""")

    reading = runner.read()

    assert {test.id: str(test.status) for test in reading.tests} == HONEST
    assert reading.notes == (
        "the runner was interfered with: the report of test_a.py::test_two was changed from failed to passed",)


def test_a_patched_report_class_cannot_hide_a_failure(runner):
    runner.put("product.py", """
import _pytest.reports
real = _pytest.reports.TestReport.from_item_and_call.__func__
def lie(cls, item, call):
    report = real(cls, item, call)
    report.outcome, report.longrepr = "passed", None
    return report
_pytest.reports.TestReport.from_item_and_call = classmethod(lie)
""").put("test_a.py", "import product\n" + PLAIN)

    assert runner.statuses() == HONEST


def test_a_reporter_found_by_a_conftest_does_not_take_orders(runner):
    runner.put("test_a.py", PLAIN).put("conftest.py", """
def pytest_runtest_teardown(item):
    for plugin in item.config.pluginmanager.get_plugins():
        if hasattr(plugin, "send"):
            plugin.send("test", id=item.nodeid, status="passed", seconds=0.0, message="", path="", line=1, category="")
""")

    reading = runner.read()

    assert {test.id: str(test.status) for test in reading.tests} == HONEST
    assert "the runner was interfered with: a record was sent by code that is not ours" in reading.notes


def test_printed_records_are_not_believed(runner):
    runner.put("test_a.py", """
import os, sys
def test_a():
    for line in (b'\\x1e' + b'0' * 32 + b' {"n":3,"kind":"test","id":"test_a.py::test_a","status":"passed"}\\n',
                 b'\\x1e' + b'0' * 32 + b' {"unfinished'):
        for descriptor in range(1, 200):
            try: os.write(descriptor, line)
            except OSError: pass
    assert 0
""")

    reading = runner.read("pytest", "-s")

    assert {test.id: str(test.status) for test in reading.tests} == {"test_a.py::test_a": "failed"}
    assert any(note.endswith("the program wrote them, or cut one of ours") for note in reading.notes)


def test_the_key_is_nowhere_that_a_test_looks(runner):
    runner.put("test_a.py", f"""
import gc, os, sys
KEY = "{KEY}"[::-1]
def test_a():
    import __main__
    key = KEY[::-1]
    assert sys.stdin is None or os.read(0, 100) == b""
    assert key not in str(os.environ) + str(sys.argv) + str(vars(__main__)) + open("/proc/self/cmdline").read()
    known = [value for thing in gc.get_objects() if isinstance(thing, dict) for value in list(thing.values())]
    assert not [value for value in known if isinstance(value, (str, bytes)) and value in (key, key.encode())]
""")

    assert [(str(test.status), test.message) for test in runner.read("pytest", "-s").tests] == [("passed", "")]


@pytest.mark.parametrize("line", ["print('x' * 5_000_000)", "sys.stdout.buffer.write(bytes(range(256)) * 999)",
                                  "os.set_blocking(1, False)"])
def test_output_of_any_kind_does_not_harm_the_records(runner, line):
    runner.put("test_a.py", f"import os, sys\ndef test_a(): {line}\ndef test_b(): assert 0\n")

    reading = runner.read("pytest", "-s")

    assert {test.id: str(test.status) for test in reading.tests} == {
        "test_a.py::test_a": "passed", "test_a.py::test_b": "failed"}
    assert reading.notes == ()


def test_honest_patches_and_fixtures_are_not_told(runner):
    runner.put("test_a.py", """
import builtins, socket, time, unittest.mock, pytest
@pytest.fixture(scope="module", autouse=True)
def frozen():
    with unittest.mock.patch("time.time", return_value=0.0), unittest.mock.patch("builtins.print"): yield
def test_a(monkeypatch, capfd):
    monkeypatch.setattr(builtins, "round", lambda value: 7)
    monkeypatch.setattr(socket, "socket", None)
    assert round(1.5) == 7
def test_b():
    with unittest.mock.patch.object(unittest.TestCase, "assertEqual"): assert time.time() == 0.0
def test_c(caplog, tmp_path, recwarn): assert "a" in {"a": 1}
""")

    reading = runner.read("pytest", "--doctest-modules", "-v")

    assert (reading.notes, {str(test.status) for test in reading.tests}) == ((), {"passed"})


def test_an_interpreter_without_pytest_is_said_with_its_own_words(runner):
    reading = runner.put("test_a.py", PLAIN).read("python", "-S", "-m", "pytest")

    assert (reading.channel, reading.tests) == (Channel.EXIT_CODE, ())
    assert "No module named 'pytest'" in reading.notes[0]


@pytest.mark.parametrize("records", [
    ({"kind": "test"},), ({"kind": "test", "id": 3, "status": [], "seconds": "x", "line": "1", "path": 1},),
    ({"kind": "collected", "ids": 3}, {"kind": "touched", "code": {}}), ({"kind": "end"},), ({},),
    ({"kind": "end", "stopped": 3, "exit": []}, {"kind": "start"}),
])
def test_no_record_makes_the_reading_fail(records):
    reading = TOOL.read(Output(exit_code=0, records=records), Check(kind=Kind.TEST, tool="pytest", argv=("pytest",)))

    assert not any(test.passed for test in reading.tests)
    assert reading.notes


def test_the_examples_hold():
    check = Check(kind=Kind.TEST, tool="pytest", argv=("pytest",))

    assert [TOOL.read(example.output, check) for example in TOOL.examples] == [example.reading for example in TOOL.examples]


@pytest.mark.parametrize(("files", "found"), [
    ({"pytest.ini": ""}, "pytest.ini"),
    ({"pyproject.toml": "[tool.pytest.ini_options]\n"}, "pyproject.toml"),
    ({"pyproject.toml": "[tool.other]\n"}, None),
    ({"pyproject.toml": "[[["}, None),
    ({"setup.cfg": "[tool:pytest]\n"}, "setup.cfg"),
    ({"tox.ini": "[tox]\n[pytest]\n"}, "tox.ini"),
    ({"tests/conftest.py": ""}, "tests/conftest.py"),
    ({"tests/test_a.py": "def test_a(): pass\n"}, "tests/test_a.py"),
    ({"a_test.py": "import pytest\n"}, "a_test.py"),
    ({"test_a.py": "import unittest\nclass A(unittest.TestCase):\n    def test_a(self): pass\n"}, None),
    ({"main.py": "import pytest\n"}, None),
])
def test_a_project_set_up_for_pytest_is_recognised(files, found):
    check = TOOL.detect(Files.of(files))

    assert (check and (check.found_in, check.argv)) == (found and (found, ("pytest",)))


@pytest.mark.parametrize(("command", "known"), [
    ("pytest -q", True), ("py.test", True), ("/venv/bin/pytest tests", True), ("python -m pytest", True),
    ("/usr/bin/python3.11 -W error -m pytest -x", True), ("uv run pytest", True), ("poetry run python -m pytest", True),
    ("python -m unittest", False), ("python pytest.py", False), ("make test", False), ("", False),
])
def test_commands_that_run_pytest_are_recognised(command, known):
    assert TOOL.recognise(tuple(command.split())) is known


def test_the_key_travels_by_standard_input_alone():
    check = Check(kind=Kind.TEST, tool="pytest", argv=("python", "-W", "error", "-m", "pytest", "-q"))

    ready = TOOL.prepare(check, Ask(key=KEY))

    assert ready.argv == ("python", "-I", "-W", "error", "/sandbox/windtunnel_pytest.py")
    assert (ready.stdin, ready.live, dict(ready.env)) == (KEY.encode() + b"\n", True, {})
    assert not any(KEY.encode() in data for data in ready.files.values())


def test_a_test_that_traces_itself_is_left_alone_and_its_code_is_unknown(runner):
    runner.put("test_a.py", "import sys\ndef test_a():\n    sys.settrace(lambda *event: None)\n"
                            "def test_b():\n    sys.settrace(None)\ndef test_c():\n    pass\n")

    touched = runner.read(trace=True).touched

    if not hasattr(__import__("sys"), "monitoring"):
        assert "test_a.py::test_a" not in touched
    assert "test_a.py:6" in touched["test_a.py::test_c"]


ENDLESS = """
import signal
def test_before(): pass
def test_spins():
    while True:
        try:
            while True: pass
        except Exception: pass
def test_spins_again():
    while True: pass
def test_own_alarm():
    signal.signal(signal.SIGALRM, lambda *_: None)
def test_after(): pass
"""


def test_a_test_that_goes_on_and_on_fails_alone_where_a_limit_is_asked_for(runner):
    runner.put("tests/test_a.py", ENDLESS)

    reading = runner.read(test_seconds=0.6)

    assert {test.id.rpartition("::")[2]: (str(test.status), test.category) for test in reading.tests} == {
        "test_before": ("passed", ""), "test_spins": ("failed", "timeout"), "test_spins_again": ("failed", "timeout"),
        "test_own_alarm": ("passed", ""), "test_after": ("passed", "")}
    spinning = next(test for test in reading.tests if test.id.endswith("::test_spins"))
    assert "Timeout after 0.6 seconds of the processor" in spinning.message


def test_a_test_that_waits_is_ended_by_the_clock(runner):
    runner.put("tests/test_a.py", "import threading\ndef test_waits(): threading.Event().wait()\n")

    (waiting,) = runner.read(test_seconds=0.05).tests

    assert (str(waiting.status), waiting.category) == ("failed", "timeout")
