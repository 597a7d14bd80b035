"""Suggested tests in what people and machines are shown."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from windtunnel.api.exports.mutation_html_data import page_data
from windtunnel.api.exports.mutation_json import mutation_json
from windtunnel.api.exports.mutation_sheets import sheets_of
from windtunnel.cli.mutate_text import told
from windtunnel.cli.suggest_text import suggested
from windtunnel.core.mutation import Fate, Judged, Mutant, MutationResult, State
from windtunnel.core.suggestion import WARNING, Suggestion, Suggestions, Unsuggested

SOURCES = {"calc.py": b"a = 1\nb = 2\n"}


def judged(line, name):
    mutant = Mutant(id=name, path="calc.py", operator="constants", line=line, column=4, end_line=line, end_column=5, original=str(line),
                    replacement="9", start=6 * line - 2, end=6 * line - 1, function="", scope="module", description=f"{line} → 9")
    return Judged(mutant=mutant, fate=Fate.SURVIVED, tests=("test_calc.py::test_a",), reached=1)


TEST = Suggestion(name="test_new", path="test_calc.py", new_file=False, imports=("import pytest",), code="def test_new():\n    assert calc.a == 1\n",
                  source="calc.py", function="", kills=("one",))
RESULT = MutationResult(
    state=State.JUDGED, judged=(judged(1, "one"), judged(2, "two")), tests=1,
    suggestions=Suggestions(tests=(TEST,), without=(Unsuggested(mutant="two", reason="no test calls it"),), diff="diff", tries=9, seconds=1.5))


def test_a_person_reads_the_test_its_place_why_there_is_none_and_the_warning():
    assert list(suggested(RESULT)) == [
        "+ add to test_calc.py  notices calc.py:1\n    import pytest\n\n\n    def test_new():\n        assert calc.a == 1",
        "no test found for\n  calc.py:2  2 → 9: no test calls it",
        f"1 test would notice 1 mutant more (found in 1.5 s). {WARNING}"]


def test_a_new_file_is_said_to_be_one():
    made = replace(RESULT, suggestions=replace(RESULT.suggestions, tests=(replace(TEST, new_file=True),)))

    assert next(suggested(made)).startswith("+ a new file test_calc.py")


def test_the_score_stays_the_last_word():
    text = told(RESULT, SOURCES)

    assert (text.count("def test_new():"), text.splitlines()[-1].startswith("score ")) == (1, True)


@pytest.mark.parametrize("odd", ["\x1b[2J", "\x07", "\u202e"])
def test_nothing_that_a_terminal_would_obey_is_shown(odd):
    made = replace(RESULT, suggestions=Suggestions(tests=(replace(TEST, code=f"def test_new():\n    {odd}\n", path=odd),),
                                                   without=(Unsuggested(mutant="two", reason=odd),)))

    assert odd not in "".join(suggested(made))


def test_json_has_them_as_a_whole_and_beside_their_mutants():
    read = json.loads(mutation_json(RESULT, SOURCES))

    assert (read["suggestions"]["tests"][0]["code"], read["suggestions"]["without"], [one.get("suggestion") for one in read["judged"]]) == (
        TEST.code, [{"mutant": "two", "reason": "no test calls it"}], ["test_new", None])


def test_without_being_asked_nothing_is_told():
    plain = replace(RESULT, suggestions=None)

    assert (list(suggested(plain)), json.loads(mutation_json(plain, SOURCES))["suggestions"]) == ([], None)


def test_the_page_has_each_beside_its_mutant():
    page = page_data(RESULT, sheets_of(RESULT, SOURCES))
    shown = [{name: one[name] for name in ("suggestion", "without") if name in one} for one in page["files"][0]["mutants"]]

    assert shown == [
        {"suggestion": ["test_calc.py", ["import pytest", "", "def test_new():", "    assert calc.a == 1", ""]]}, {"without": "no test calls it"}]
