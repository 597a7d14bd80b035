"""The tables of other languages on the page of operators; `python tests/mutation/test_grammar_page.py` writes them anew."""

from __future__ import annotations

import pytest

pytest.importorskip("tree_sitter", reason="windtunnel[syntax] is not installed")

from test_operators_page import PAGE, cell, part, table

from windtunnel.mutation.grammars.arid import ARID
from windtunnel.mutation.grammars.languages import LANGUAGES
from windtunnel.mutation.grammars.operators import OPERATORS

TITLES = {grammar.name: grammar.title for grammar in LANGUAGES}


def operators():
    rows = [(f"`{operator.name}`", *(change(operator.examples.get(name, ())) for name in TITLES))
            for operator in OPERATORS]
    return table(("operator", *TITLES.values()), *rows)


def change(examples):
    shown = next((example for example in examples if example.after), None)
    return f"{code(shown.before)} → {code(shown.after[0])}" if shown is not None else ""


def code(text):
    """In a cell, also where it is empty or has quotes of its own."""
    made = cell(text.replace("\t", ""))[1:-1]
    return "nothing" if not made else f"`` {made} ``" if "`" in made else f"`{made}`"


def left_alone():
    rows = [(rule.name, *(code(rule.examples[name]) if name in rule.examples else "" for name in TITLES))
            for rule in ARID]
    return table(("left alone", *TITLES.values()), *rows)


TABLES = {"grammars": operators, "left alone there": left_alone}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_other_languages_is_that_of_the_code(name):
    assert part(name).search(PAGE.read_text())[2] == TABLES[name]()


def write():
    text = PAGE.read_text()
    for name, made in TABLES.items():
        text = text.replace(f"<!-- {name} -->\n<!-- end -->", f"<!-- {name} -->\n\n<!-- end -->")
        text = part(name).sub(lambda match, made=made: match[1] + made() + match[3], text)
    PAGE.write_text(text)


if __name__ == "__main__":
    write()
