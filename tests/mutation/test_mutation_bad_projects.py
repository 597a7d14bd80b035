"""Projects whose tests prove nothing, or that are not fit to be judged: each has its own word."""

from __future__ import annotations

import pytest
from mutations import bare, fates, judge, write

from windtunnel.core.errors import UsageError
from windtunnel.core.mutation import Fate, MutationResult, State

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
CALC = "def add(a, b):\n    return a + b\n"
ADD = ("calc.py", 2, "+ → -")
GOOD = "import calc\n\n\ndef test_add():\n    assert calc.add(2, 3) == 5\n"


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), 0, -1.0, "60", True])
def test_a_time_that_is_none_is_refused_and_written_down(tunnel, tmp_path, seconds):
    project = write(tmp_path, {"calc.py": CALC, "test_calc.py": GOOD})

    with pytest.raises(UsageError, match="seconds: not a number of seconds above 0"):
        judge(tunnel, project, seconds=seconds)


def test_a_project_without_tests_says_so(tunnel, tmp_path):
    project = write(tmp_path, {"calc.py": CALC, "test_calc.py": "import calc\n"})

    result = judge(tunnel, project)

    assert (result.state, fates(result), result.score) == (State.NO_TESTS, [(*ADD, "not judged")], None)


def test_a_project_without_anything_to_mutate_is_not_run_at_all(tunnel, tmp_path):
    project = write(tmp_path, {"calc.py": "import os\n", "test_calc.py": GOOD})

    assert bare(judge(tunnel, project)) == MutationResult(state=State.NO_MUTANTS)


def test_tests_that_all_fail_prove_nothing(tunnel, tmp_path):
    project = write(tmp_path, {"calc.py": CALC, "test_calc.py": "def test_no():\n    assert 1 == 2\n"})

    result = judge(tunnel, project)

    assert (result.state, result.failing, result.tests) == (State.NO_TEST_PASSES, ("test_calc.py::test_no",), 0)


def test_tests_that_pass_whatever_happens_prove_nothing(tunnel, tmp_path):
    tests = "import calc\n\n\ndef test_add():\n    try:\n        assert calc.add(2, 3) == 5\n    except BaseException:\n        pass\n"
    project = write(tmp_path, {"calc.py": CALC, "test_calc.py": tests})

    assert judge(tunnel, project).state is State.NOT_NOTICED


def test_one_failing_test_is_set_aside_by_name(tunnel, tmp_path):
    project = write(tmp_path, {"calc.py": CALC, "test_calc.py": GOOD + "\n\ndef test_no():\n    assert calc.add(1, 1) == 3\n"})

    result = judge(tunnel, project)

    assert (fates(result), result.failing, result.tests) == ([(*ADD, "killed")], ("test_calc.py::test_no",), 1)


def test_a_flaky_test_is_set_aside_by_name(tunnel, tmp_path):
    flaky = ("\n\ndef test_now_and_then(tmp_path_factory):\n    import pathlib\n    mark = pathlib.Path('/tmp/seen-once')\n"
             "    there = mark.exists()\n    mark.touch()\n    assert there\n")
    project = write(tmp_path, {"calc.py": CALC, "test_calc.py": GOOD + flaky})

    result = judge(tunnel, project)

    assert (fates(result), result.flaky, result.tests) == ([(*ADD, "killed")], ("test_calc.py::test_now_and_then",), 1)


def test_a_test_that_needs_another_one_before_it_is_set_aside_by_name(tunnel, tmp_path):
    tests = GOOD + "\n\nSTATE = []\n\n\ndef test_first():\n    STATE.append(1)\n    assert STATE\n\n\ndef test_second():\n    assert STATE\n"
    project = write(tmp_path, {"calc.py": CALC, "test_calc.py": tests})

    result = judge(tunnel, project)

    assert (fates(result), result.dependent, result.tests) == ([(*ADD, "killed")], ("test_calc.py::test_second",), 2)


def test_a_file_that_cannot_be_read_as_python_is_named_and_the_others_are_judged(tunnel, tmp_path):
    project = write(tmp_path, {"calc.py": CALC, "test_calc.py": GOOD, "odd.py": "def broken(:\n"})

    result = judge(tunnel, project)

    assert (fates(result), [note.split(":")[0] for note in result.notes]) == ([(*ADD, "killed")], ["odd.py"])


def test_a_project_that_ends_the_interpreter_on_loading_is_broken(tunnel, tmp_path):
    project = write(tmp_path, {"calc.py": f"import sys\n{CALC}sys.exit(0)\n", "test_calc.py": GOOD})

    result = judge(tunnel, project)

    assert result.state in (State.BROKEN, State.NO_TESTS)
    assert result.score is None


def test_tests_that_end_their_process_are_broken_and_the_test_is_named(tunnel, tmp_path):
    project = write(tmp_path, {"calc.py": CALC, "test_calc.py": GOOD + "\n\ndef test_exit():\n    import os\n    os._exit(0)\n"})

    result = judge(tunnel, project)

    assert (result.state, result.notes) == (State.BROKEN, ("the tests ended in the midst of test_calc.py::test_exit",))


def test_a_project_without_pytest_is_refused_with_what_it_has(tunnel, tmp_path):
    project = write(tmp_path, {"calc.py": CALC})

    with pytest.raises(UsageError, match="judged by pytest"):
        judge(tunnel, project, test="")


def test_a_time_that_is_over_leaves_the_rest_not_judged_and_says_what_that_tells(tunnel, tmp_path):
    project = write(tmp_path, {"calc.py": CALC * 3 + "\n\ndef less(a, b):\n    return a - b\n", "test_calc.py": GOOD})

    result = judge(tunnel, project, most=1)

    assert (result.counts[Fate.NOT_JUDGED], result.estimate.drawn, result.tries) == (3, 1, len(
        [one for one in result.judged if one.fate in (Fate.KILLED, Fate.SURVIVED)]))


def test_nothing_is_written_to_the_project_on_disk(tunnel, tmp_path):
    tests = GOOD + "\n\ndef test_write():\n    import pathlib\n    pathlib.Path('left.txt').write_text('x')\n    pathlib.Path('calc.py').write_text('')\n    assert calc.add(1, 1) == 2\n"
    project = write(tmp_path, {"calc.py": CALC, "test_calc.py": tests})

    result = judge(tunnel, project)

    assert result.state is State.JUDGED
    assert (sorted(path.name for path in project.iterdir()), (project / "calc.py").read_text()) == (["calc.py", "test_calc.py"], CALC)
