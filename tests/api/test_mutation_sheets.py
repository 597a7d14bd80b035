"""Files as people read them, and mutants as diffs of whole lines."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mutation_samples import NAMES, PRICES, mutant
from windtunnel.api.exports.mutation_sheets import Row, diff, diff_text, sheet_of

PATH = "shop/prices.py"


def test_a_diff_shows_the_line_before_and_after_with_what_stands_around_it():
    found = mutant(PRICES, "summed > 100", "summed >= 100", path=PATH)

    assert diff_text(found, sheet_of(PATH, PRICES)).split("\n") == [
        " def total(items, rate=0.2):", "     summed = sum(item.price * item.count for item in items)",
        "-    if summed > 100:", "+    if summed >= 100:", "         summed = summed - 5", "     return summed + summed * rate"]


def test_what_differs_in_a_line_stands_apart():
    found = mutant(NAMES, "'!'", "''", path="names.py")

    rows = [row for row in diff(found, sheet_of("names.py", NAMES)) if row.sign != " "]

    assert rows == [Row("-", "    return 'Grüße 👋 ' + name + ", "'!'", ""), Row("+", "    return 'Grüße 👋 ' + name + ", "''", "")]


def test_lines_that_stay_the_same_inside_a_long_piece_are_not_shown_as_changed():
    source = b"f(\n    a,\n    b > 1,\n    c,\n)\n"
    found = mutant(source, "f(\n    a,\n    b > 1,\n    c,\n)", "f(\n    a,\n    b >= 1,\n    c,\n)", path="a.py")

    assert diff_text(found, sheet_of("a.py", source)) == " f(\n     a,\n-    b > 1,\n+    b >= 1,\n     c,\n )"


def test_a_statement_of_several_lines_that_goes_is_shown_whole():
    source = b"def f():\n    if x:\n        g()\n    return 1\n"
    found = mutant(source, "if x:\n        g()", "pass", path="a.py")

    assert diff_text(found, sheet_of("a.py", source)) == " def f():\n-    if x:\n-        g()\n+    pass\n     return 1"


@pytest.mark.parametrize("content", [None, b"", b"something else\n", PRICES.replace(b"summed >", b"summed <")],
                         ids=["not given", "empty", "another", "edited"])
def test_where_the_file_is_not_the_one_that_was_mutated_the_pieces_stand_alone(content):
    found = mutant(PRICES, "summed > 100", "summed >= 100", path=PATH)

    assert diff_text(found, sheet_of(PATH, content)) == "-summed > 100\n+summed >= 100"


def test_carriage_returns_end_lines_as_the_interpreter_reads_them():
    source = b"a = 1\r\nb = 2\rc = a > b\r\n"
    found = replace(mutant(source, "a > b", "a >= b", path="a.py"), line=3, end_line=3, column=4, end_column=9)

    assert diff_text(found, sheet_of("a.py", source)) == " a = 1\n b = 2\n-c = a > b\n+c = a >= b"


def test_a_separator_of_lines_that_python_does_not_know_ends_no_line():
    assert sheet_of("a.py", "a = '\u2028\x0c'\nb\n".encode()).lines == ("a = '\u2028\x0c'", "b", "")


@pytest.mark.parametrize(("content", "lines"), [
    ("# coding: latin-1\nx = 'é'\n".encode("latin-1"), ("# coding: latin-1", "x = 'é'", "")),
    (b"\xef\xbb\xbfx = 1", ("x = 1",)),
    (b"# coding: no-such-thing\n\xff", ("# coding: no-such-thing", "\N{REPLACEMENT CHARACTER}")),
    (b"# coding: base64\nx", ("# coding: base64", "x")),
], ids=["declared", "marked", "unknown", "no text"])
def test_a_file_is_read_in_the_encoding_it_declares_or_shown_as_far_as_it_can_be(content, lines):
    assert sheet_of("a.py", content).lines == lines


def test_a_file_of_another_language_is_utf_8_whatever_its_comments_say():
    assert sheet_of("a.js", "// coding: latin-1 é".encode()).lines == ("// coding: latin-1 é",)


def test_no_diff_is_longer_than_a_screen_or_two():
    line = f"x = '{'é' * 3000}'"
    source = "\n".join([line] * 3000).encode()
    whole = mutant(source, "\n".join([line] * 3000), "y = 1\n" * 3000, path="a.py")

    rows = diff(whole, sheet_of("a.py", source))

    assert (len(rows), max(len(row.text) for row in rows), [row.text for row in rows if row.sign == "…"]) == (
        50, 401, ["2976 more lines", "2977 more lines"])


def test_a_mutant_far_along_a_line_costs_no_more_than_a_near_one():
    source = f"x = '{'é' * 100_000}' + 'a'".encode()

    assert diff_text(mutant(source, "+ 'a'", "- 'a'", path="a.py"), sheet_of("a.py", source)) == "-+ 'a'\n+- 'a'"


def test_columns_are_those_of_characters():
    sheet = sheet_of("names.py", NAMES)
    found = mutant(NAMES, "'!'", "''", path="names.py")

    assert (found.column, sheet.place(found.line, found.column), sheet.lines[1][31:34]) == (36, 31, "'!'")
