"""Fates kept between runs: what is the same is not tried again, and what may be different always is."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from mutations import judge, write

import windtunnel.mutation
from windtunnel.store.fates import Fates

pytestmark = pytest.mark.timeout(600)
INSIDE = Path(windtunnel.mutation.__file__).parent / "inside"
COUNT = 20
WIDE = "".join(f"def f{number}(a, b):\n    return a + b\n\n\n" for number in range(COUNT))
WIDE_TESTS = "import wide\n\n\n" + "\n\n".join(
    f"def test_f{number}():\n    assert wide.f{number}(2, 3) == 5\n" for number in range(COUNT))
CHAIN = {
    "chain.py": "from low import bottom\n\n\ndef top(a):\n    return middle(a) + a\n\n\ndef middle(a):\n    return bottom(a) * a\n\n\ndef other(a):\n    return a - a\n",
    "low.py": "RATE = 3\n\n\ndef bottom(a):\n    return a * RATE\n\n\ndef apart(a):\n    return a + a\n",
    "test_chain.py": "import chain\nimport helper\n\n\ndef test_top():\n    assert chain.top(2) == helper.expected()\n\n\ndef test_other():\n    assert chain.other(3) == 0\n",
    "test_apart.py": "import low\n\n\ndef test_apart():\n    assert low.apart(2) == 4\n",
    "helper.py": "def expected():\n    return 14\n", "data.txt": "x"}
TOP = {"chain.py:5", "chain.py:9", "low.py:5", "low.py:1"}
"""Mutants that only ``test_top`` notices."""


@pytest.fixture
def fates(tmp_path):
    made = Fates(tmp_path / "fates.db")
    yield made
    made.close()


def tried(result):
    return {f"{one.mutant.path}:{one.mutant.line}" for one in result.judged if one.way != "kept" and one.way}


@pytest.mark.slow
def test_a_second_run_after_a_small_edit_tries_a_tenth_at_most(tunnel, tmp_path, fates):
    project = write(tmp_path / "wide", {"wide.py": WIDE, "test_wide.py": WIDE_TESTS})
    first = judge(tunnel, project, memory=fates)
    write(project, {"wide.py": WIDE.replace("f7(a, b):\n    return a + b", "f7(a, b):\n    return b + a")})

    second = judge(tunnel, project, memory=fates)

    assert (first.tries, second.tries, second.score) == (COUNT, 1, first.score)


@pytest.mark.slow
@pytest.mark.parametrize(("edit", "anew"), [
    pytest.param({}, set(), id="nothing"),
    pytest.param({"chain.py": CHAIN["chain.py"].replace("middle(a) + a", "a + middle(a)")}, TOP, id="a function that a test runs"),
    pytest.param({"low.py": CHAIN["low.py"].replace("return a * RATE", "return RATE * a")}, TOP, id="a function of another file"),
    pytest.param({"chain.py": CHAIN["chain.py"].replace("a - a", "-a + a")}, {"chain.py:13"}, id="a function that other tests do not run"),
    pytest.param({"helper.py": "def expected():\n    return 14.0\n"}, TOP, id="a function that only a test calls"),
    pytest.param({"test_apart.py": CHAIN["test_apart.py"].replace("== 4", "== 2 + 2")}, {"low.py:9"}, id="a file of tests"),
])
def test_what_a_killing_test_runs_makes_its_fates_anew(tunnel, tmp_path, fates, edit, anew):
    project = write(tmp_path / "chain", CHAIN)
    judge(tunnel, project, memory=fates, paths=("chain.py", "low.py"))
    write(project, edit)

    result = judge(tunnel, project, memory=fates, paths=("chain.py", "low.py"))

    assert tried(result) == anew


@pytest.mark.slow
@pytest.mark.parametrize("edit", [
    {"low.py": CHAIN["low.py"].replace("RATE = 3", "RATE = 3.0")}, {"setup.py": "x = 1\n"},
    {"data.txt": "y"}, {"conftest.py": "x = 1\n"}, {"pytest.ini": "[pytest]\n"}])
def test_what_any_test_may_rest_on_makes_all_fates_anew(tunnel, tmp_path, fates, edit):
    project = write(tmp_path / "chain", CHAIN)
    first = judge(tunnel, project, memory=fates, paths=("chain.py", "low.py"))
    write(project, edit)

    assert tried(judge(tunnel, project, memory=fates, paths=("chain.py", "low.py"))) == tried(first)


@pytest.fixture(scope="module")
def inside():
    """The runner's own modules, as they lie beside each other in a sandbox."""
    before = set(sys.modules)
    sys.path.insert(0, str(INSIDE))
    try:
        import windtunnel_mutant_footprint as footprint
        import windtunnel_mutant_needs as needs
    finally:
        sys.path.remove(str(INSIDE))
    yield footprint.Footprints, needs.Needs
    for name in set(sys.modules) - before:
        if name.startswith("windtunnel_mutant"):
            del sys.modules[name]


def source_of(bodies):
    return "".join(f"def f{at}(a):\n    return a + {body}\n\n\n" for at, body in enumerate(bodies)).encode()


@settings(max_examples=200)
@given(bodies=some.lists(some.integers(0, 9), min_size=1, max_size=8), data=some.data())
def test_a_footprint_changes_exactly_with_the_functions_that_a_test_runs(inside, bodies, data):
    footprints, needs = inside
    edited = data.draw(some.integers(0, len(bodies) - 1))
    runs = data.draw(some.sets(some.integers(0, len(bodies) - 1)))
    lines = [("/p/a.py", 4 * at + 2) for at in runs]
    new = [body + 10 if at == edited else body for at, body in enumerate(bodies)]

    prints = [footprints({"/p/a.py": source_of(each)}, [], needs("/p", [])).of_test("t.py::t", lines, whole=False)
              for each in (bodies, new)]

    assert (prints[0] != prints[1]) == (edited in runs)


@settings(max_examples=100)
@given(bodies=some.lists(some.integers(0, 9), min_size=1, max_size=8), data=some.data())
def test_a_footprint_of_a_test_that_starts_processes_changes_with_any_function(inside, bodies, data):
    footprints, needs = inside
    edited = data.draw(some.integers(0, len(bodies) - 1))
    new = [body + 10 if at == edited else body for at, body in enumerate(bodies)]

    prints = {footprints({"/p/a.py": source_of(each)}, [], needs("/p", [])).of_test("t.py::t", [], whole=True)
              for each in (bodies, new)}

    assert len(prints) == 2


def test_a_function_that_ran_on_loading_is_in_the_footprint_of_every_test(inside):
    footprints, needs = inside
    prints = {footprints({"/p/a.py": source_of([body])}, [("/p/a.py", 2)], needs("/p", [])).of_test("t.py::t", [], whole=False)
              for body in (1, 2)}

    assert len(prints) == 2
