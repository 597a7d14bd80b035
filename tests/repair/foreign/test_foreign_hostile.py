"""Files and messages that nobody can trust: whatever they hold, proposals come or do not, and nothing is raised."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import pytest

pytest.importorskip("tree_sitter", reason="windtunnel[syntax] is not installed")

from foreign_cases import FILES, cases
from foreign_errors import ERRORS, broken
from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.core.errors import LanguageMissing
from windtunnel.core.problem import Place, Problem
from windtunnel.core.repair import Scene, Suspicion
from windtunnel.repair.foreign import rules, search
from windtunnel.repair.foreign.languages import table_of
from windtunnel.repair.foreign.tree import understood

LANGUAGES = st.sampled_from(sorted(FILES))
TEXTS = {language: [case.broken for case in cases(language)] + [row[1] for row in broken(language)] for language in FILES}
MESSAGES = sorted({line for path in ERRORS.glob("*.json") for line in path.read_text().replace("\\n", "\n").splitlines()})


def scene_of(language, text, *, problems=()):
    path = FILES[language]
    return Scene(paths=(path,), read={path: text}.get, problems=tuple(problems))


@settings(max_examples=40, deadline=None)
@given(language=LANGUAGES, at=st.integers(0, 10_000), cut=st.integers(0, 400), more=st.text(max_size=20))
def test_search_never_raises_over_what_a_file_holds(language, at, cut, more):
    whole = TEXTS[language][at % len(TEXTS[language])]
    text = whole[:cut] + more + whole[cut:]

    for proposal in islice(search(scene_of(language, text)), 50):
        assert proposal.edits[0].text != text


@settings(max_examples=60, deadline=None)
@given(language=LANGUAGES, at=st.integers(0, 10_000), message=st.sampled_from(MESSAGES) | st.text(max_size=80),
       line=st.integers(-5, 100), column=st.integers(-5, 200), kind=st.sampled_from(("syntax", "name", "type")), help_=st.text(max_size=60))
def test_rules_never_raise_over_what_a_tool_says(*, language, at, message, line, column, kind, help_):
    text = TEXTS[language][at % len(TEXTS[language])]
    place = Place(file=FILES[language], line=line, column=column)
    problem = Problem(kind=kind, message=message, place=place, help=f"help: {help_}\n{message}")

    for proposal in islice(rules(scene_of(language, text, problems=[problem])), 50):
        assert [edit.path for edit in proposal.edits] == [FILES[language]]


@pytest.mark.parametrize("language", FILES)
def test_a_tower_of_brackets_is_left_alone(language):
    assert list(search(scene_of(language, "(" * 5000 + ")" * 5000))) == []


@pytest.mark.parametrize("language", FILES)
def test_a_file_that_is_too_large_or_no_text_is_left_alone(language):
    found = [list(search(scene_of(language, text))) for text in ("a" * 600_000, "a\0b", "", "\ud800")]

    assert found == [[], [], [], []]


@pytest.mark.parametrize("language", FILES)
def test_long_lines_of_words_and_brackets_do_not_make_the_rules_slow(language):
    words = "a b (c) " * 4_000
    problem = Problem(kind="syntax", message="missing return statement; undefined: abc; unreported exception X",
                      place=Place(file=FILES[language], line=1, column=5))

    assert len(list(islice(rules(scene_of(language, words, problems=[problem])), 5))) <= 5


def test_a_file_of_a_thousand_lines_is_searched_where_it_is_suspicious():
    text = "".join(f"function f{number}(a, b) {{\n  return a < b;\n}}\n" for number in range(400))
    scene = replace(scene_of("javascript", text), suspicions=(Suspicion(path="lib.js", line=1100, score=1.0),))

    assert {proposal.place.symbol for proposal in islice(search(scene), 20)} == {"f366"}


def test_a_grammar_that_is_not_installed_is_named_with_what_to_install():
    table = table_of("lib.js")
    assert table is not None

    with pytest.raises(LanguageMissing, match=r"pip install 'windtunnel\[syntax\]'"):
        understood(b"a", table=replace(table, package="tree_sitter_that_nobody_has"))
