"""unittest through our script, as a plain process: every outcome, every selection, and the cheats."""

import pytest
from live_runner import KEY, Files, Runner

from windtunnel.checks.unittest import TOOL
from windtunnel.core.tool import Ask
from windtunnel.core.trial import Channel, Check, Kind

HEAD = "import unittest\n"
PLAIN = HEAD + """class TestA(unittest.TestCase):
    def test_one(self): self.assertEqual(1, 1)
    def test_two(self): self.assertEqual(1, 2)
"""
HONEST = {"test_a.TestA.test_one": "passed", "test_a.TestA.test_two": "failed"}
OUTCOMES = HEAD + """
class TestA(unittest.TestCase):
    def test_good(self): pass
    def test_assertion(self): self.assertEqual(1, 2)
    def test_exception(self): raise KeyError("lost")
    def test_exit(self): raise SystemExit(0)
    @unittest.skip("not here")
    def test_skip(self): pass
    @unittest.expectedFailure
    def test_expected(self): self.fail()
    @unittest.expectedFailure
    def test_surprise(self): pass
    def test_parts(self):
        for number in range(3):
            with self.subTest(number=number): self.assertEqual(number, 1)
class TestSetUp(unittest.TestCase):
    def setUp(self): raise ValueError("no set-up")
    def test_a(self): pass
class TestTearDown(unittest.TestCase):
    def tearDown(self): raise ValueError("no teardown")
    def test_a(self): pass
class TestClass(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise ValueError("no class")
    def test_a(self): pass
    def test_b(self): pass
class TestLater(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise unittest.SkipTest("later")
    def test_a(self): pass
class TestEnd(unittest.TestCase):
    @classmethod
    def tearDownClass(cls): raise ValueError("no end")
    def test_a(self): pass
class TestAsync(unittest.IsolatedAsyncioTestCase):
    async def test_a(self): self.assertEqual(1, 2)
"""


@pytest.fixture
def runner(tmp_path):
    return Runner(tmp_path, TOOL)


def test_every_outcome_has_its_status_category_and_message(runner):
    runner.put("tests/__init__.py", "").put("tests/test_a.py", OUTCOMES).put("tests/test_b.py", "import no_such_module\n")
    runner.put("tests/test_c.py", HEAD + "def setUpModule(): raise ValueError('no module')\n"
                                         "class TestC(unittest.TestCase):\n    def test_a(self): pass\n")

    reading = runner.read()

    found = {test.id: (str(test.status), test.category, test.message.split("\n")[0]) for test in reading.tests}
    assert found == {
        "tests.test_a.TestA.test_good": ("passed", "", ""),
        "tests.test_a.TestA.test_assertion": ("failed", "assertion", "AssertionError: 1 != 2"),
        "tests.test_a.TestA.test_exception": ("error", "exception", "KeyError: 'lost'"),
        "tests.test_a.TestA.test_exit": ("error", "exception", "SystemExit: 0"),
        "tests.test_a.TestA.test_skip": ("skipped", "", "not here"),
        "tests.test_a.TestA.test_expected": ("xfailed", "", "AssertionError: None"),
        "tests.test_a.TestA.test_surprise": ("failed", "assertion", "unexpected success: it was expected to fail"),
        "tests.test_a.TestA.test_parts": ("failed", "assertion", "(number=0)"),
        "tests.test_a.TestSetUp.test_a": ("error", "exception", "ValueError: no set-up"),
        "tests.test_a.TestTearDown.test_a": ("error", "exception", "ValueError: no teardown"),
        "tests.test_a.TestClass.test_a": ("error", "exception", "ValueError: no class"),
        "tests.test_a.TestClass.test_b": ("error", "exception", "ValueError: no class"),
        "tests.test_a.TestLater.test_a": ("skipped", "", "later"),
        "tests.test_a.TestEnd.test_a": ("passed", "", ""),
        "tearDownClass (tests.test_a.TestEnd)": ("error", "exception", "ValueError: no end"),
        "tests.test_a.TestAsync.test_a": ("failed", "assertion", "AssertionError: 1 != 2"),
        "tests.test_b": ("error", "collection", "ImportError: Failed to import test module: tests.test_b"),
        "tests.test_c.TestC.test_a": ("error", "exception", "ValueError: no module"),
    }
    assert (reading.channel, reading.notes) == (Channel.LIVE, ())


def test_a_test_is_told_with_its_place(runner):
    reading = runner.put("test_a.py", PLAIN).read()

    assert [(test.path, test.line) for test in reading.tests] == [("test_a.py", 3), ("test_a.py", 4)]


def test_only_the_selected_tests_run_in_the_order_asked_for(runner):
    chosen = ("test_a.TestA.test_two", "gone.TestX.test_a", "test_a.TestA.test_one")

    assert list(runner.put("test_a.py", PLAIN).statuses(select=chosen)) == [chosen[0], chosen[2]]


def test_fail_fast_stops_and_leaves_the_rest_out(runner):
    runner.put("test_a.py", PLAIN + "    def test_zero(self): pass\n")

    reading = runner.read(fail_fast=True)

    assert {test.id: str(test.status) for test in reading.tests} == HONEST
    assert reading.notes == ("the runner stopped early (stopped at the first failure): 1 of 3 tests were not reported",)


def test_a_pattern_chooses_by_name(runner):
    assert runner.put("test_a.py", PLAIN).statuses(pattern="one") == {"test_a.TestA.test_one": "passed"}


def test_discovery_takes_its_own_arguments(runner):
    runner.put("checks/one_check.py", PLAIN)

    statuses = runner.statuses("python3", "-m", "unittest", "discover", "-s", "checks", "-p", "*_check.py")

    assert statuses == {name.replace("test_a", "one_check", 1): status for name, status in HONEST.items()}


def test_a_traced_run_tells_the_code_of_each_test_its_class_and_its_module(runner):
    runner.put("product.py", "def one():\n    return 1\ndef two():\n    return 2\n")
    runner.put("test_a.py", HEAD + "import product\nclass TestA(unittest.TestCase):\n    @classmethod\n"
                                   "    def setUpClass(cls): product.two()\n    def test_a(self): product.one()\n"
                                   "    def test_b(self): pass\n")

    touched = runner.read(trace=True).touched

    shared = {"product.py:0", "test_a.py:0", "test_a.py:3", "test_a.py:4", "product.py:3"}
    assert {name: set(code) for name, code in touched.items()} == {
        "test_a.TestA.test_a": shared | {"test_a.py:6", "product.py:1"},
        "test_a.TestA.test_b": shared | {"test_a.py:7"},
    }


def test_no_tests_at_all_is_said(runner):
    reading = runner.put("product.py", "").read()

    assert (reading.tests, reading.notes) == ((), ("no test was executed",))


def test_leaving_at_import_is_no_pass(runner):
    reading = runner.put("test_a.py", "import os\nos._exit(0)\n").read()

    assert (reading.tests, reading.notes) == (
        (), ("the runner ended before its tests were collected: exit code 0", "no test was executed"))


def test_leaving_during_a_test_makes_it_and_the_rest_crashes(runner):
    runner.put("test_a.py", PLAIN.replace("self.assertEqual(1, 1)", "__import__('os')._exit(0)"))

    assert [(test.id, test.category) for test in runner.read().tests] == [(name, "crash") for name in HONEST]


def test_an_exit_code_changed_after_the_end_is_told(runner):
    reading = runner.put("test_a.py", "import atexit, os\natexit.register(os._exit, 0)\n" + PLAIN).read()

    assert reading.notes == ("the exit code became 0 after the runner had ended with 1",)


@pytest.mark.parametrize("name", ["unittest", "sitecustomize", "json", "traceback"])
def test_a_module_of_the_project_cannot_stand_for_one_of_the_runner(runner, name):
    runner.put(f"{name}.py", "import os\nos._exit(0)\n").put("test_a.py", PLAIN)

    assert runner.statuses() == HONEST


@pytest.mark.parametrize(("cheat", "label"), [
    ("unittest.TestCase.assertEqual = lambda *a: None", "unittest.case.TestCase.assertEqual"),
    ("unittest.TestCase.run = lambda self, result: result.addSuccess(self)", "unittest.case.TestCase.run"),
    ("unittest.TestResult.wasSuccessful = lambda self: True", "unittest.result.TestResult.wasSuccessful"),
    ("import builtins; builtins.all = lambda values: True", "builtins.all"),
])
def test_product_code_that_replaces_what_decides_is_told(runner, cheat, label):
    runner.put("product.py", HEAD + cheat + "\n").put("test_a.py", "import product\n" + PLAIN)

    assert f"the runner was interfered with: {label} was replaced while the tests were collected" in runner.read().notes


def test_a_result_reached_from_a_test_does_not_take_orders(runner):
    lie = "self._outcome.result.session.send('test', id=self.id(), status='passed'); self.fail()"
    reading = runner.put("test_a.py", PLAIN.replace("self.assertEqual(1, 1)", lie)).read()

    assert [str(test.status) for test in reading.tests] == ["failed", "failed"]
    assert reading.notes == ("the runner was interfered with: a record was sent by code that is not ours",)


def test_honest_patches_are_not_told(runner):
    runner.put("test_a.py", HEAD + """from unittest import mock
class TestA(unittest.TestCase):
    @mock.patch("time.time", return_value=0.0)
    @mock.patch("builtins.open")
    def test_a(self, opened, clock): self.assertRaises(ValueError, int, "x")
""")

    assert (runner.statuses(), runner.read().notes) == ({"test_a.TestA.test_a": "passed"}, ())


def test_the_examples_hold():
    check = Check(kind=Kind.TEST, tool="unittest", argv=("python", "-m", "unittest"))

    assert [TOOL.read(example.output, check) for example in TOOL.examples] == [example.reading for example in TOOL.examples]


CASE = "from unittest import TestCase\nclass A(TestCase): pass\n"


@pytest.mark.parametrize(("files", "words"), [
    ({"test_a.py": CASE}, ""),
    ({"tests/__init__.py": "", "tests/test_a.py": CASE}, ""),
    ({"tests/test_a.py": CASE}, "discover -s tests"),
    ({"src/a/tests/test_a.py": CASE, "src/a/tests/__init__.py": "", "src/a/__init__.py": ""}, "discover -s src"),
    ({"tests/a_test.py": CASE}, "discover -s tests -p *_test.py"),
    ({"test_a.py": CASE, "pytest.ini": ""}, None),
    ({"test_a.py": "print(1)\n"}, None),
])
def test_a_project_with_cases_and_no_pytest_is_recognised(files, words):
    check = TOOL.detect(Files.of(files))

    assert (check and check.argv) == (None if words is None else ("python", "-m", "unittest", *words.split()))


@pytest.mark.parametrize(("command", "known"), [
    ("python -m unittest", True), ("/usr/bin/python3.12 -m unittest discover -s tests", True),
    ("uv run python -m unittest", True), ("unittest", False), ("python -m pytest", False), ("", False),
])
def test_commands_that_run_unittest_are_recognised(command, known):
    assert TOOL.recognise(tuple(command.split())) is known


def test_the_key_travels_by_standard_input_alone():
    ready = TOOL.prepare(Check(kind=Kind.TEST, tool="unittest", argv=("python", "-m", "unittest")), Ask(key=KEY))

    assert (ready.argv, ready.stdin) == (("python", "-I", "/sandbox/windtunnel_unittest.py"), KEY.encode() + b"\n")
    assert not any(KEY.encode() in data for data in ready.files.values())


ENDLESS = """
import unittest
class TestA(unittest.TestCase):
    def test_a(self): pass
    def test_b(self):
        while True: pass
    @unittest.skip("not now")
    def test_c(self): pass
    def test_d(self): pass
"""


def test_a_test_that_goes_on_and_on_fails_alone_where_a_limit_is_asked_for(runner):
    runner.put("test_a.py", ENDLESS)

    assert runner.statuses(test_seconds=0.6) == {
        "test_a.TestA.test_a": "passed", "test_a.TestA.test_b": "error", "test_a.TestA.test_c": "skipped",
        "test_a.TestA.test_d": "passed"}
