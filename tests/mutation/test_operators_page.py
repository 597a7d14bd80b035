"""The tables of the page are those of the code; `python tests/mutation/test_operators_page.py` writes them anew."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from windtunnel.mutation.arid import ARID
from windtunnel.mutation.operators import OPERATORS
from windtunnel.mutation.rewrites import PATTERNS

PAGE = Path(__file__).parent.parent.parent / "docs" / "mutation-operators.md"


def cell(text):
    return "`" + text.strip("\n").replace("|", "\\|").replace("\n", " ⏎ ") + "`"


def table(*rows):
    head, *rest = rows
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rest))


def operators():
    rows = []
    for operator in OPERATORS:
        shown = next(example for example in operator.examples if example.after)
        left = next(example for example in operator.examples if not example.after)
        rows.append((f"`{operator.name}`", operator.title, cell(shown.before), " or ".join(map(cell, shown.after)) or "",
                     cell(left.before)))
    return table(("operator", "makes", "of this", "that", "leaves alone"), *rows)


def arid():
    return table(("left alone", "for example"), *((rule.name, cell(rule.examples[0])) for rule in ARID))


def equivalents():
    rows = ((pattern.name, *map(cell, pattern.same[0]), " and ".join(map(cell, pattern.different[0])))
            for pattern in PATTERNS)
    return table(("pattern", "this", "is the same as", "but these differ"), *rows)


TABLES = {"operators": operators, "arid": arid, "equivalents": equivalents}


def part(name):
    return re.compile(rf"(<!-- {name} -->\n)(.*?)(\n<!-- end -->)", re.DOTALL)


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_the_page_is_that_of_the_code(name):
    assert part(name).search(PAGE.read_text())[2] == TABLES[name]()


def write():
    text = PAGE.read_text()
    for name, made in TABLES.items():
        text = part(name).sub(lambda match, made=made: match[1] + made() + match[3], text)
    PAGE.write_text(text)


if __name__ == "__main__":
    write()
