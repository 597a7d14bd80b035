"""Proposals judged by real tests in a real sandbox: each as if it lay on disk, and the project stays as it is."""

from __future__ import annotations

import hashlib
from itertools import islice

import pytest
from judging import CODE, FAILING, GOOD, PASSING, TESTS, acting, judge_for, judged, odd, plain, proposal, write

from windtunnel.core.errors import UsageError
from windtunnel.engine.fix import judge_session

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def digest(folder):
    """All names and bytes below a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [(str(path.relative_to(folder)), hashlib.sha256(path.read_bytes()).hexdigest()) for path in files]


def test_what_mends_the_fault_is_good_and_what_does_not_is_not(tunnel, tmp_path):
    found = judged(tunnel, odd(tmp_path), [acting("    return a + 2\n"), proposal(GOOD), acting("    return a\n")])

    assert plain(found) == [([], [FAILING], "", False), ([FAILING], [], "", True), ([], [FAILING], "", False)]


def test_judgements_carry_the_keys_of_their_proposals_in_order(tunnel, tmp_path):
    many = [acting(f"    return a + {number}\n") for number in range(9)]

    assert [one.key for one in judged(tunnel, odd(tmp_path), many)] == [one.key for one in many]


def test_the_project_on_disk_is_never_touched(tunnel, tmp_path):
    project = odd(tmp_path)
    before = digest(project)

    judged(tunnel, project, [proposal(GOOD), proposal("broken("), acting("    open('odd.py', 'w').close()\n    return 2\n")], observe=True)

    assert digest(project) == before


def test_a_later_test_is_not_asked_after_a_failure_unless_wanted(tunnel, tmp_path):
    bad = [acting("    return a\n")]

    first, whole = (plain(judged(tunnel, odd(tmp_path), bad, tests=(FAILING, PASSING), stop_at_first_failure=stop)) for stop in (True, False))

    assert (first, whole) == ([([], [FAILING], "", False)], [([PASSING], [FAILING], "", False)])


def test_what_breaks_another_test_is_not_good(tunnel, tmp_path):
    found = judged(tunnel, odd(tmp_path), [proposal(GOOD.replace("a * 2", "a * 3"))], tests=(FAILING, PASSING))

    assert plain(found) == [([FAILING], [PASSING], "", False)]


def test_code_that_runs_when_it_is_loaded_is_loaded_anew(tunnel, tmp_path):
    code = "def made():\n    return [1]\n\n\nTABLE = made()\nLIMIT = 3\n\n\ndef act(a, more=4):\n    return TABLE[0] + LIMIT + more\n"
    project = odd(tmp_path, code=code, tests="import odd\n\n\ndef test_act():\n    assert odd.act(1) == 9\n")
    changes = [("[1]", "[2]"), ("LIMIT = 3", "LIMIT = 4"), ("more=4", "more=5"), ("TABLE[0]", "1 + TABLE[0]"), ("[1]", "[3]")]

    found = judged(tunnel, project, [proposal(code.replace(*change)) for change in changes])

    assert [one.good for one in found] == [True, True, True, True, False]


def test_a_name_that_other_modules_took_over_is_the_new_one(tunnel, tmp_path):
    project = write(tmp_path, {
        "pack/__init__.py": "from pack.inner import act\n", "pack/inner.py": "from .deep import base\n\n\ndef act(a):\n    return base(a)\n",
        "pack/deep.py": "def base(a):\n    return a\n", "test_pack.py": "from pack import act\n\n\ndef test_act():\n    assert act(1) == 2\n"})
    switched = proposal("def base(a):\n    return a + 1\n", path="pack/deep.py")
    loaded = proposal("ONE = 1\n\n\ndef base(a):\n    return a + ONE\n", path="pack/deep.py")
    both = proposal("def base(b):\n    return b\n", path="pack/deep.py", pack__inner="from .deep import base as of\n\n\ndef act(a):\n    return of(a) + 1\n")

    found = judged(tunnel, project, [switched, loaded, both], tests=["test_pack.py::test_act"])

    assert [one.good for one in found] == [True, True, True]


def test_what_a_conftest_has_loaded_is_new_too(tunnel, tmp_path):
    project = odd(tmp_path, **{"conftest.py": "import odd\n\nKEPT = odd.act\n"}, tests="from conftest import KEPT\n\n\ndef test_act():\n    assert KEPT(1) == 2\n")

    found = judged(tunnel, project, [proposal(GOOD), proposal("X = 1\n" + GOOD), proposal("X = 1\n" + CODE)])

    assert [one.good for one in found] == [True, True, False]


def test_a_traceback_shows_the_lines_of_the_proposal(tunnel, tmp_path):
    tests = ("import linecache\nimport inspect\nimport odd\n\n\ndef test_act():\n"
             "    assert odd.act(1) == 2\n    assert 'a + 1' in linecache.getline(odd.__file__, 6)\n    assert 'a + 1' in inspect.getsource(odd.act)\n")

    found = judged(tunnel, odd(tmp_path, tests=tests), [proposal(GOOD), proposal(GOOD + "\n\nX = 1\n")])

    assert [one.good for one in found] == [True, True]


@pytest.mark.parametrize(("text", "reason"), [
    ("def act(a:\n", "it does not load: SyntaxError"), ("raise ValueError('no')\n", "it does not load: ValueError: no"),
    ("import nothing_like_that\n", "it does not load: ModuleNotFoundError"), ("x = 1\0\n", "it does not load: ")])
def test_what_does_not_load_says_so(tunnel, tmp_path, text, reason):
    found, = judged(tunnel, odd(tmp_path), [proposal(text)])

    assert (found.good, found.passed, found.error.startswith(reason)) == (False, frozenset(), True)


def test_a_file_that_did_not_load_is_judged_by_all_of_its_tests(tunnel, tmp_path):
    project = odd(tmp_path, code="def act(a:\n")
    with judge_for(tunnel, project) as judge:
        seen = judge.observe()
        found = list(judge.judge([proposal(CODE), proposal(GOOD), proposal("def act(a:\n\n")], tests=seen.failing, stop_at_first_failure=False))

    assert seen.failing == ("test_odd.py",)
    assert [(sorted(one.passed), sorted(one.failed), one.good) for one in found] == [
        (["test_odd.py", PASSING], [FAILING], False), (["test_odd.py", FAILING, PASSING], [], True), ([], [], False)]


@pytest.mark.parametrize("name", ["test_odd.py::test_gone", "test_gone.py::test_act"])
def test_a_test_that_is_not_there_does_not_pass(tunnel, tmp_path, name):
    found, = judged(tunnel, odd(tmp_path), [proposal(GOOD)], tests=(name, PASSING))

    assert (found.good, found.failed) == (False, {name})


def test_a_skipped_test_does_not_pass(tunnel, tmp_path):
    found = judged(tunnel, odd(tmp_path), [
        acting("    import unittest\n    raise unittest.SkipTest\n"), acting("    import pytest\n    pytest.xfail('so')\n"),
        proposal("import pytest\npytest.skip('all', allow_module_level=True)\n")])

    assert [one.good for one in found] == [False, False, False]


def test_enough_good_ones_end_the_wave(tunnel, tmp_path):
    many = [proposal(GOOD + f"\n\n# {number}\n") for number in range(60)]

    found = judged(tunnel, odd(tmp_path), many, stop_after_good=1)

    assert (1 <= len(found) < 10, [one.key for one in found]) == (True, [one.key for one in many[:len(found)]])


def test_a_wave_can_be_left_and_another_begun_in_the_same_sandbox(tunnel, tmp_path):
    many = [acting(f"    return a + {number}\n") for number in range(2, 60)]
    with judge_for(tunnel, odd(tmp_path)) as judge:
        left = len(list(islice(judge.judge(many, tests=[FAILING]), 2)))
        found = list(judge.judge([proposal(GOOD)], tests=[FAILING, PASSING]))

    assert (left, plain(found), judge.beginnings) == (2, [([FAILING, PASSING], [], "", True)], 1)


def test_no_time_is_no_judgement(tunnel, tmp_path):
    assert judged(tunnel, odd(tmp_path), [proposal(GOOD)], seconds=0.0) == []


def test_a_wave_of_no_tests_is_refused(tunnel, tmp_path):
    with judge_for(tunnel, odd(tmp_path)) as judge, pytest.raises(UsageError) as raised:
        list(judge.judge([proposal(GOOD)], tests=[]))

    assert raised.value.field == "tests"


def test_a_project_that_another_runner_tests_is_refused(tunnel, tmp_path):
    with pytest.raises(UsageError) as raised:
        judge_for(tunnel, odd(tmp_path), test="sh -c true")

    assert raised.value.field == "test"


def test_nothing_is_left_open_behind_it(new_tunnel, tmp_path, no_leak):
    tunnel = new_tunnel()
    project = odd(tmp_path / "project")
    judged(tunnel, project, [proposal(GOOD)])
    with no_leak():
        found = judged(tunnel, project, [proposal(GOOD)])

    assert [one.good for one in found] == [True]


def test_tests_of_unittest_are_judged_too(tunnel, tmp_path):
    tests = ("import unittest\nimport odd\n\n\nclass TestOdd(unittest.TestCase):\n    @classmethod\n    def setUpClass(cls):\n        cls.one = 1\n\n"
             "    def test_act(self):\n        self.assertEqual(odd.act(self.one), 2)\n\n    def test_other(self):\n        self.assertEqual(odd.other(2), 4)\n")
    with judge_for(tunnel, odd(tmp_path, tests=tests), test="python -m unittest") as judge:
        seen = judge.observe()
        found = list(judge.judge([proposal(GOOD), proposal("X = 1\n" + GOOD), acting("    return 3\n"), proposal("no(")], tests=seen.failing))

    assert (seen.failing, seen.passing) == (("test_odd.TestOdd.test_act",), ("test_odd.TestOdd.test_other",))
    assert [(one.good, one.error[:16]) for one in found] == [(True, ""), (True, ""), (False, ""), (False, "it does not load")]


def test_a_test_that_starts_a_process_sees_the_proposal_on_disk(tunnel, tmp_path):
    tests = ("import subprocess\nimport sys\n\n\ndef test_act():\n"
             "    assert subprocess.run([sys.executable, '-c', 'import odd; print(odd.act(1))'], capture_output=True, text=True).stdout == '2\\n'\n")

    def tried(number):
        project = odd(tmp_path / str(number), tests=tests + TESTS.replace("test_act", "test_more"))
        return [one.good for one in judged(tunnel, project, [proposal(GOOD), acting("    return 3\n"), proposal(GOOD)],
                                           tests=(FAILING, "test_odd.py::test_more"), observe=True)]

    # On a busy machine a process that a test starts may take longer than a proposal may.
    assert [True, False, True] in (tried(number) for number in range(12))


def test_a_file_that_is_new_or_no_code_is_laid_on_disk(tunnel, tmp_path):
    project = odd(tmp_path, code="from pathlib import Path\n\n\ndef act(a):\n    import more\n    return more.ONE + int(Path('data.txt').read_text())\n", **{"data.txt": "1"})
    made = proposal("ONE = 1\n", path="more.py")
    data = [proposal("0", path="data.txt"), proposal("ONE = 2\n", path="more.py")]

    found = judged(tunnel, project, [made, *data, made])

    assert [one.good for one in found] == [True, False, False, True]


@pytest.mark.parametrize("fault", ["while True:\n    pass\n", "import os\nos._exit(0)\n"])
def test_a_project_that_cannot_be_loaded_at_all_is_judged_by_loading_each_proposal(tunnel, tmp_path, fault):
    with judge_for(tunnel, odd(tmp_path, code=CODE + fault), collect_seconds=1.0) as judge:
        seen = judge.observe(seconds=60.0)
        found = list(judge.judge([proposal(GOOD), proposal(CODE), proposal(GOOD + fault.replace("while True", "if True"))], tests=[FAILING]))

    assert (seen.failing, seen.passing, seen.notes) == ((), (), ("the tests could not be collected (lost)",))
    assert [one.good for one in found] == [True, False, "while" in fault]


def test_a_test_that_waits_longer_than_a_copy_may_be_silent_is_given_its_time(tunnel, tmp_path, monkeypatch):
    tests = "import time\nimport odd\n\n\ndef test_act():\n    time.sleep(1.2)\n    assert odd.act(1) == 2\n"
    usual, short = b"STALLED_SECONDS, MOST_SECONDS = 5.0, 60.0", b"STALLED_SECONDS, MOST_SECONDS = 1.0, 60.0"
    impatient = {name: data.replace(usual, short) for name, data in judge_session.scripts().items()}
    assert impatient != dict(judge_session.scripts())
    monkeypatch.setattr(judge_session, "scripts", lambda: impatient)

    found = judged(tunnel, odd(tmp_path, tests=tests), [proposal(GOOD)], observe=True)

    assert [one.good for one in found] == [True]


def test_a_first_failure_of_the_projects_own_options_keeps_no_file_from_being_collected(tunnel, tmp_path):
    project = odd(tmp_path, **{"test_a.py": "import nothing_there\n", "pytest.ini": "[pytest]\naddopts = -x --maxfail=1\n"})

    found = judged(tunnel, project, [proposal(GOOD), acting("    return 3\n")], tests=(FAILING, PASSING))

    assert [one.good for one in found] == [True, False]


def test_a_module_that_a_test_loads_late_is_the_new_one(tunnel, tmp_path):
    tests = "def test_act():\n    import odd\n    assert odd.act(1) == 2\n\n\ndef test_trace():\n    import traceback\n    try:\n        import odd\n        odd.act(None)\n    except TypeError:\n        assert 'odd.py' in traceback.format_exc()\n"
    with judge_for(tunnel, odd(tmp_path, tests=tests)) as judge:
        seen = judge.observe()
        found = list(judge.judge([proposal(GOOD), acting("    return 3\n")], tests=[FAILING, "test_odd.py::test_trace"]))

    assert (seen.spawning, [one.good for one in found]) == (frozenset(), [True, False])
