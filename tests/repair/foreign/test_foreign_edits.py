"""Every sort of edit by its examples, and what holds of every proposal."""

from __future__ import annotations

import pytest

pytest.importorskip("tree_sitter", reason="windtunnel[syntax] is not installed")

from foreign_cases import FILES, cases

from windtunnel.core.problem import Place, Problem
from windtunnel.core.repair import Scene, Suspicion
from windtunnel.repair.foreign import RULES, search
from windtunnel.repair.foreign.edits import SORTS
from windtunnel.repair.foreign.languages import TABLES
from windtunnel.repair.foreign.tree import parsed

EXAMPLES = [(sort.name, example) for sort in SORTS for example in sort.examples]
TWO = """\
function first(a, b) {
  return a < b;
}
function second(a, b) {
  return a < b;
}
"""


def scene_of(language, text, **more):
    return Scene(paths=(FILES[language],), read={FILES[language]: text}.get, **more)


def framed(example):
    frame = next(table.example for table in TABLES if table.name == example.language)
    return frame.format(example.before), frame.format(example.after)


@pytest.mark.parametrize(("name", "example"), EXAMPLES, ids=[f"{name}-{one.language}" for name, one in EXAMPLES])
def test_an_example_of_a_sort_of_edit_is_proposed(name, example):
    before, after = framed(example)

    proposed = [proposal.edits[0].text for proposal in search(scene_of(example.language, before))]

    assert after in proposed


@pytest.mark.parametrize("language", FILES)
def test_what_is_proposed_is_the_language_and_never_the_same_twice(language):
    case = cases(language)[0]

    proposed = [proposal.edits[0].text for proposal in search(case.scene)]

    trees = [parsed(text, path=FILES[language]) for text in proposed]
    assert (len(set(proposed)), [tree for tree in trees if tree is None or tree.root.has_error]) == (len(proposed), [])


@pytest.mark.parametrize("language", FILES)
def test_proposals_come_in_the_order_of_their_priors_within_equally_suspicious_code(language):
    priors = [proposal.prior for proposal in search(cases(language)[0].scene)]

    assert priors == sorted(priors, reverse=True)


def test_only_files_that_may_be_changed_are_touched():
    texts = {"lib.js": TWO, "other.js": TWO}

    touched = {edit.path for proposal in search(Scene(paths=("lib.js",), read=texts.get)) for edit in proposal.edits}

    assert touched == {"lib.js"}


def test_what_was_traced_is_all_that_is_searched():
    scene = scene_of("javascript", TWO, suspicions=(Suspicion(path="lib.js", line=5, score=1.0),))

    assert {proposal.place.symbol for proposal in search(scene)} == {"second"}


def test_the_function_of_a_problem_comes_first():
    problem = Problem(kind="type", message="", place=Place(file="lib.js", line=5))

    first = next(search(scene_of("javascript", TWO, problems=(problem,))))

    assert (first.place.symbol, first.place.line) == ("second", 5)


def test_a_function_that_tests_name_comes_before_one_that_they_do_not():
    texts = {"lib.js": TWO, "lib.test.js": "second(1, 1)"}
    scene = Scene(paths=("lib.js",), read=texts.get, test_paths=("lib.test.js",))

    assert next(search(scene)).place.symbol == "second"


def test_a_file_of_another_language_is_left_alone():
    assert list(search(Scene(paths=("lib.py",), read={"lib.py": "a = 1\n"}.get))) == []


def test_a_parameter_that_nobody_used_is_used_first():
    text = "function f(a, b) {\n  return a - a;\n}\n"

    assert next(search(scene_of("javascript", text))).edits[0].text in {
        "function f(a, b) {\n  return a - b;\n}\n", "function f(a, b) {\n  return b - a;\n}\n"}


def test_every_sort_of_edit_is_a_row_for_people():
    names = {rule.name for rule in RULES}

    assert {sort.name for sort in SORTS} - names == set()


@pytest.mark.parametrize("language", FILES)
def test_the_original_is_among_the_first_two_hundred_for_most_faults(language):
    all_cases = cases(language)

    found = [case for case in all_cases if _is_found(case)]

    assert len(found) >= 0.75 * len(all_cases)


def _is_found(case):
    wanted = case.good.split()
    return any(proposal.edits[0].text.split() == wanted for proposal, _ in zip(search(case.scene), range(200), strict=False))
