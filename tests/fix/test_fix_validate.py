"""What is not worth a test is told before one is run."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fixing import CALC, base_of, proposal

from windtunnel.core.repair import FileEdit
from windtunnel.engine.fix.validate import Validator

JAVASCRIPT = "function add(a, b) {\n  return a - b;\n}\n"


def validator(base=None, *, may=("calc.py", "sub.js", "broken.py")):
    return Validator(base or base_of({"calc.py": CALC, "sub.js": JAVASCRIPT, "broken.py": "x = 1 +\ny = 2 +\n"}),
                     may=lambda path: path in may)


def fault(text, path="calc.py", **fields):
    return validator(**fields).fault(proposal(path, text))


def test_an_edit_that_changes_the_program_is_worth_a_test():
    assert fault(CALC.replace(" - ", " + ")) == ""


@pytest.mark.parametrize(("text", "why"), [
    (CALC, "the same text"),
    (CALC + "\n\n# only a remark\n", "the same tree"),
    (CALC.replace("a - b", "(a - b)"), "the same tree"),
    (CALC.replace("a - b", "a - (b"), "does not parse"),
    (CALC.replace("a - b", "a - c"), "a name that nobody defines"),
    (CALC.replace("a - b", "a\0b"), "malformed"),
])
def test_what_is_not_worth_a_test_is_told_by_why(text, why):
    assert fault(text) == why


def test_files_that_may_not_be_touched_are_refused():
    assert fault("x = 1\n", path="test_calc.py") == "outside of what may be touched"


def test_without_the_check_of_places_a_test_would_be_rewritten():
    assert fault("x = 1\n", path="test_calc.py", may=("test_calc.py",)) == ""


@pytest.mark.parametrize("edits", [(), (FileEdit(path="calc.py", text="x"),) * 2])
def test_an_edit_of_nothing_or_of_one_file_twice_is_malformed(edits):
    assert validator().fault(replace(proposal("calc.py", "x"), edits=edits)) == "malformed"


def test_the_same_tree_is_let_through_once():
    check = validator()

    assert [check.fault(proposal("calc.py", CALC.replace("a - b", text))) for text in ("a + b", "(a + b)", "a * b")] == [
        "", "the same tree as another", ""]


def test_names_that_a_star_import_may_bring_are_let_through():
    text = "from os.path import *\n" + CALC

    assert validator(base_of({"calc.py": text})).fault(proposal("calc.py", text.replace("a - b", "join(a, b)"))) == ""


def test_a_name_that_was_missing_before_is_not_held_against_an_edit():
    text = CALC.replace("a - b", "a - c")

    assert validator(base_of({"calc.py": text})).fault(proposal("calc.py", text.replace(" < ", " <= "))) == ""


def test_removing_the_definition_of_a_name_in_use_is_dropped():
    text = "LIMIT = 5\n\n\ndef small(a):\n    return a < LIMIT\n"

    assert validator(base_of({"calc.py": text})).fault(proposal("calc.py", text.replace("LIMIT = 5", "OTHER = 5"))) == (
        "a name that nobody defines")


def test_a_text_that_does_not_parse_yet_is_let_through_when_it_reads_further():
    assert fault("x = 1\ny = 2 +\n", path="broken.py") == ""


def test_a_text_that_does_not_parse_and_reads_no_further_is_dropped():
    assert fault("x = 1 *\ny = 2 +\n", path="broken.py") == "does not parse"


def test_an_edit_that_takes_back_what_the_base_kept_is_dropped():
    base = base_of({"calc.py": CALC})
    after = base.after(proposal("calc.py", CALC.replace(" - ", " + ")))

    assert Validator(after, may=lambda _: True, earlier=[base]).fault(proposal("calc.py", CALC)) == "undoes an earlier one"


def test_an_edit_that_goes_back_to_a_base_in_between_is_dropped():
    base = base_of({"calc.py": CALC})
    first = base.after(proposal("calc.py", CALC.replace(" - ", " + ")))
    second = first.after(proposal("calc.py", CALC.replace(" - ", " * ")))

    assert Validator(second, may=lambda _: True, earlier=[base, first]).fault(
        proposal("calc.py", CALC.replace(" - ", " + "))) == "undoes an earlier one"


@pytest.mark.parametrize(("text", "why"), [
    (JAVASCRIPT.replace("-", "+"), ""), (JAVASCRIPT.replace("b;", "b; // why"), "the same tree"),
    (JAVASCRIPT.replace("b;", "(b;"), "does not parse")])
def test_other_languages_are_read_by_their_grammars(text, why):
    pytest.importorskip("tree_sitter", reason="pip install 'windtunnel[syntax]'")

    assert fault(text, path="sub.js") == why


def test_what_was_dropped_is_counted_by_why():
    check = validator()
    kept = list(check([proposal("calc.py", CALC), proposal("calc.py", CALC), proposal("calc.py", CALC.replace("-", "+"))]))

    assert (len(kept), check.dropped) == (1, {"the same text": 2})
