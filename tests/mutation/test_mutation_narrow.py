"""Few mutants, judged by the tests that matter to them: those that name their functions first, the rest where that is not enough."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from mutations import fates, judge, write

import windtunnel.mutation
from windtunnel.core.mutation import State
from windtunnel.mutation.table import names_of, rows

pytestmark = pytest.mark.timeout(600)
INSIDE = Path(windtunnel.mutation.__file__).parent / "inside"
CALC = "def add(a, b):\n    return a + b\n\n\ndef twice(a):\n    return add(a, a)\n\n\nRATE = 2 + 1\n"
NAMING = "import calc\n\n\ndef test_add():\n    assert calc.add(2, 3) == 5\n"
OTHER = "import calc\n\n\ndef test_twice():\n    assert calc.twice(3) == 6\n"
ASLEEP = "import calc\n\n\ndef test_add():\n    calc.add(2, 3)\n"
APART = "def test_apart():\n    assert True\n"
NOTE = "tests that name nothing of the change were not asked: the others notice enough"


def few(tunnel, folder, files, **options):
    """Judged as the gate does, with mutants of the sum alone."""
    given = {"narrow": True, "enough": (1.0, None), "lines": {"calc.py": {2}}, "operators": ("arithmetic",)}
    return judge(tunnel, write(folder, {"calc.py": CALC, **files}), **{**given, **options})


@pytest.mark.slow
def test_tests_that_name_what_is_mutated_are_enough_where_they_notice_all(tunnel, tmp_path):
    broken = "def test_broken():\n    assert False\n"
    result = few(tunnel, tmp_path, {"test_a.py": NAMING, "test_b.py": OTHER, "test_c.py": broken})

    assert (fates(result), result.tests, result.failing) == ([("calc.py", 2, "+ → -", "killed")], 1, ())


@pytest.mark.slow
def test_what_they_do_not_notice_is_asked_of_all_others(tunnel, tmp_path):
    result = few(tunnel, tmp_path, {"test_a.py": ASLEEP, "test_b.py": OTHER, "test_c.py": APART})

    assert (fates(result), result.tests, result.judged[0].by) == ([("calc.py", 2, "+ → -", "killed")], 2, "test_b.py::test_twice")


@pytest.mark.slow
def test_where_no_test_names_it_all_are_asked(tunnel, tmp_path):
    result = few(tunnel, tmp_path, {"test_b.py": OTHER, "test_c.py": APART})

    assert (fates(result), result.tests) == ([("calc.py", 2, "+ → -", "killed")], 1)


@pytest.mark.slow
def test_what_runs_on_loading_is_asked_of_all_that_load_it(tunnel, tmp_path):
    rated = "import calc\n\n\ndef test_rate():\n    assert calc.RATE == 3\n"
    result = few(tunnel, tmp_path, {"test_a.py": NAMING, "test_b.py": rated}, lines={"calc.py": {9}})

    assert (fates(result), result.judged[0].by) == ([("calc.py", 9, "+ → -", "killed")], "test_b.py::test_rate")


@pytest.mark.slow
def test_a_survivor_of_all_tests_survives(tunnel, tmp_path):
    result = few(tunnel, tmp_path, {"test_a.py": ASLEEP, "test_b.py": OTHER.replace("== 6", "is not None")})

    assert (fates(result), result.judged[0].tests) == (
        [("calc.py", 2, "+ → -", "survived")], ("test_a.py::test_add", "test_b.py::test_twice"))


@pytest.mark.slow
def test_a_test_that_needs_another_one_before_it_is_set_aside(tunnel, tmp_path):
    needing = "import calc\n\nSEEN = []\n\n\ndef test_first():\n    SEEN.append(1)\n\n\ndef test_second():\n    assert SEEN and calc.twice(3) == 6\n"
    result = few(tunnel, tmp_path, {"test_a.py": ASLEEP, "test_b.py": needing})

    assert (fates(result), result.dependent, result.flaky) == (
        [("calc.py", 2, "+ → -", "survived")], ("test_b.py::test_second",), ())


@pytest.mark.slow
def test_tests_that_pass_whatever_happens_prove_nothing_here_either(tunnel, tmp_path):
    blind = "import calc\n\n\ndef test_add():\n    try:\n        assert calc.add(2, 3) == 5\n    except BaseException:\n        pass\n"
    result = few(tunnel, tmp_path, {"test_a.py": blind, "test_b.py": blind.replace("calc.add(2, 3)", "calc.twice(3)")})

    assert result.state is State.NOT_NOTICED


@pytest.mark.slow
def test_a_test_that_starts_a_thread_is_not_overlooked(tunnel, tmp_path):
    threads = ("import threading\nimport calc\n\n\ndef test_thread():\n    found = []\n"
               "    one = threading.Thread(target=lambda: found.append(calc.twice(3)))\n    one.start()\n    one.join()\n    assert found == [6]\n")
    result = few(tunnel, tmp_path, {"test_b.py": threads, "test_c.py": APART})

    assert fates(result) == [("calc.py", 2, "+ → -", "killed")]


@pytest.mark.slow
def test_a_test_of_what_pytest_says_of_a_failure_is_judged_as_pytest_has_it(tunnel, tmp_path):
    words = ("import pytest\nimport calc\n\n\ndef test_words():\n    with pytest.raises(AssertionError, match='assert 5 == 6'):\n"
             "        assert calc.add(2, 3) == 6\n")
    result = few(tunnel, tmp_path, {"test_a.py": words})

    assert (fates(result), result.failing) == ([("calc.py", 2, "+ → -", "killed")], ())


def mutant_rows(lines):
    from windtunnel.mutation.screening import screened

    source = CALC.encode()
    found = screened(source, path="calc.py", lines=lines, operators=("arithmetic",)).mutants
    return rows(found, {"calc.py": source}, narrow=True)


def test_the_names_are_those_of_the_functions_that_hold_mutants():
    assert (names_of(mutant_rows({2})), names_of(mutant_rows({9})), names_of(mutant_rows({2, 9}))) == (["add"], [], [])


@pytest.fixture(scope="module")
def inside():
    """The runner's own modules, as they lie beside each other in a sandbox."""
    before = set(sys.modules)
    sys.path.insert(0, str(INSIDE))
    try:
        import windtunnel_mutant_calls as calls
        import windtunnel_mutant_lines as lines
    finally:
        sys.path.remove(str(INSIDE))
    yield calls.Calls, lines.Lines
    for name in set(sys.modules) - before:
        if name.startswith("windtunnel_mutant"):
            del sys.modules[name]


WATCHED = "def plain(a):\n    if a:\n        return 1\n    return 2\n\n\ndef outer():\n    def inner():\n        yield 1\n    return list(inner())\n"


def in_a_copy(act):
    """What it gives, from a process of its own: watching is for one process, and other tools watch this one."""
    import json
    import os

    read, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            sys.settrace(None)
            sys.setprofile(None)
            os.write(write_end, json.dumps(act()).encode())
        finally:
            os._exit(0)
    os.close(write_end)
    with os.fdopen(read) as file:
        told = file.read()
    os.waitpid(pid, 0)
    return json.loads(told)


def watched_by(kind, folder, calls):
    """What each of these calls ran, as the watcher tells it."""
    path = str(write(folder, {"watched.py": WATCHED}) / "watched.py")
    space = {}
    exec(compile(WATCHED, path, "exec"), space)

    def look():
        watcher, found = kind([path]), []
        for call in calls:
            watcher.take()
            eval(call, space)
            found.append(sorted([list(part[1:]) for part in watcher.take()]))
        watcher.stop()
        return found

    return in_a_copy(look)


def test_each_look_tells_the_functions_that_ran_since_the_last(inside, tmp_path):
    assert watched_by(inside[0], tmp_path, ["plain(1)", "plain(0)", "outer()", "1"]) == [
        [[1, 4]], [[1, 4]], [[7, 10], [8, 9]], []]


def test_each_look_tells_the_lines_that_ran_since_the_last(inside, tmp_path):
    found = watched_by(inside[1], tmp_path, ["plain(1)", "plain(0)", "1"])

    assert [[line for [line] in each if line > 1] for each in found] == [[2, 3], [2, 4], []]
