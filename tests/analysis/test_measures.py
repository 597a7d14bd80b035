"""Complexity, maintainability, duplication and coverage."""

from __future__ import annotations

import math
import sqlite3

import pytest

from windtunnel.analysis.complexity import choose, maintainability, measurer, worst
from windtunnel.analysis.coverage import coverage
from windtunnel.analysis.duplication import duplications
from windtunnel.analysis.facts import Function, facts_of
from windtunnel.analysis.keeping import packed, unpacked
from windtunnel.analysis.listing import listing_of

BLOCK = "".join(f"value_{number} = compute({number})\n" for number in range(12))


def facts(files):
    return {path: facts_of(path, text.encode(), size=len(text)) for path, text in files.items()}


def twice(files):
    share, found = duplications(facts(files), lambda path: files[path].encode())
    return round(share, 3), [(one.files, one.lines, one.length) for one in found]


def test_ten_lines_that_stand_twice_are_found_whatever_blanks_and_comments_are_between():
    indented = "".join(f"    {line}\n\n    # why\n" for line in BLOCK.splitlines())

    assert twice({"a.py": f"import a_thing\n{BLOCK}", "b.py": f"def other_one():\n{indented}"}) == (
        round(24 / 26, 3), [(("a.py", "b.py"), (2, 2), 12)])


def test_nine_lines_are_not_enough():
    nine = "".join(BLOCK.splitlines(keepends=True)[:9])

    assert twice({"a.py": nine + "first_end = 1\n", "b.py": nine + "second_end = 2\n"}) == (0.0, [])


@pytest.mark.parametrize("before", range(6))
def test_ten_lines_are_found_wherever_they_begin(before):
    ten = "".join(BLOCK.splitlines(keepends=True)[:10])
    lead = "".join(f"lead_number_{number} = {number}\n" for number in range(before))

    assert [one[2] for one in twice({"a.py": lead + ten + "after_a = 1\n", "b.py": "begin_b = 1\n" + ten + "after_b = 2\n"})[1]] == [10]


def test_a_file_that_repeats_itself_is_found_too():
    assert twice({"a.py": f"{BLOCK}between = 1\n{BLOCK}"}) == (round(24 / 25, 3), [(("a.py", "a.py"), (1, 14), 12)])


def test_code_lines_leave_out_empty_ones_and_comments():
    made = facts({"a.py": "# no\n\nx = 1\n  # no\ny = 2", "a.c": "// no\n/* no\n * no\n */\nint x;\n#include <a.h>\n", "a.lua": "-- no\nlocal x = 1\n"})

    assert [(one.language, one.lines, one.code_lines) for one in made.values()] == [("Python", 5, 2), ("C", 6, 2), ("Lua", 2, 1)]


def test_functions_are_measured_as_lizard_counts_them():
    measure = measurer()
    python = measure("Python", "def easy():\n    return 1\n\n\ndef hard(a, b):\n    if a and b:\n        return 1\n    for x in a:\n        if x:\n            return 2\n    return 3\n")
    script = measure("TypeScript", "function f(a: number) { return a > 1 ? 2 : 3; }\n")

    assert [(one.name, one.line, one.cyclomatic, one.lines) for one in (*python, *script)] == [
        ("easy", 1, 1, 2), ("hard", 5, 5, 7), ("f", 1, 2, 1)]
    assert python[1].volume > python[0].volume > 0


@pytest.mark.parametrize("text", ["\0" * 100, "def (", "{" * 5000, "((((" * 2000, "f'{" * 500, "#if\n" * 1000, "class" * 1000])
def test_text_that_is_no_program_has_no_functions_and_raises_nothing(text):
    measure = measurer()

    assert all(len(measure(language, text)) <= 1 for language in ("Python", "C", "JavaScript", "Rust", "Ruby", "PHP"))


def test_the_index_is_microsofts_weighted_by_lines():
    one = Function(name="a", line=1, cyclomatic=3, lines=10, volume=200.0)
    two = Function(name="b", line=1, cyclomatic=1, lines=30, volume=50.0)
    by_hand = [(171 - 5.2 * math.log(each.volume) - 0.23 * each.cyclomatic - 16.2 * math.log(each.lines)) * 100 / 171 for each in (one, two)]

    assert maintainability([one, two]) == pytest.approx((10 * by_hand[0] + 30 * by_hand[1]) / 40)
    assert maintainability([]) is None


def test_of_much_code_the_worst_and_a_sample_are_measured_and_the_same_ones_each_time():
    files = facts({f"m{number}.py": "if x:\n    pass\n" * number for number in range(1, 41)})
    hashes = {path: f"{int(path[1:-3]) * 7919 % 41:064x}" for path in files}
    chosen = choose(files, hashes, most=2000)

    assert (chosen, chosen.whole) == (choose(dict(reversed(files.items())), hashes, most=2000), False)
    assert chosen.worst[0] == "m40.py"
    assert sum(files[path].bytes for path in chosen.sample) <= 1000 < sum(one.bytes for one in files.values())
    assert choose(files, hashes, most=None).whole


def test_the_worst_functions_come_first():
    files = facts({"a.py": "x = 1\n", "b.py": "y = 1\n"})
    files["a.py"].functions = (Function(name="f", line=1, cyclomatic=3, lines=2, volume=1.0),)
    files["b.py"].functions = (Function(name="g", line=4, cyclomatic=9, lines=2, volume=1.0),)

    assert [(one.name, one.file, one.cyclomatic) for one in worst(files)] == [("g", "b.py", 9), ("f", "a.py", 3)]


def test_facts_are_kept_and_given_back_as_they_were():
    made = facts_of("a.py", BLOCK.encode(), size=len(BLOCK))
    made.functions = (Function(name="f", line=1, cyclomatic=3, lines=2, volume=1.5),)

    assert unpacked(packed(made)) == made
    assert [unpacked(damaged) for damaged in (b"", b"\0\0\0\2[]", packed(made)[:-3], b"\xff" * 40)] == [None] * 4


@pytest.mark.parametrize(("name", "text", "share"), [
    ("coverage.xml", '<?xml version="1.0"?>\n<coverage version="7" line-rate="0.8125" branch-rate="0">\n</coverage>', 0.8125),
    ("coverage.json", '{"totals": {"covered_lines": 3, "num_statements": 4}}', 0.75),
    ("coverage/lcov.info", "SF:a.js\nLF:10\nLH:9\nend_of_record\nSF:b.js\nLF:10\nLH:1\nend_of_record\n", 0.5),
    ("coverage/coverage-summary.json", '{"total": {"lines": {"total": 8, "covered": 6}}}', 0.75),
    ("target/site/jacoco/jacoco.xml", '<!DOCTYPE report><report><counter type="LINE" missed="9" covered="1"/><counter type="LINE" missed="2" covered="6"/></report>', 0.75),
    ("cover.out", "mode: set\na/b.go:1.2,3.4 3 1\na/b.go:5.2,6.4 1 0\n", 0.75),
    ("coverage.xml", "<coverage>", None), ("coverage.json", "[", None), ("cover.out", "mode: set\n", None)])
def test_a_report_in_the_tree_is_believed(name, text, share):
    assert coverage(listing_of({name: text}), None) == (share, name if share is not None else "")


def test_the_lines_that_coverage_py_saw_are_set_against_those_that_could_run(tmp_path):
    (tmp_path / "a.py").write_text('"""Text."""\n\n\ndef f(x):\n    if x:\n        return 1\n    return 2\n')
    with sqlite3.connect(tmp_path / ".coverage") as database:
        database.executescript("CREATE TABLE file (id INTEGER, path TEXT); CREATE TABLE line_bits (file_id INTEGER, context_id INTEGER, numbits BLOB);"
                               "CREATE TABLE arc (file_id INTEGER, context_id INTEGER, fromno INTEGER, tono INTEGER);")
        database.execute("INSERT INTO file VALUES (1, ?)", (str(tmp_path / "a.py"),))
        database.execute("INSERT INTO line_bits VALUES (1, 1, ?)", (bytes([1 << 4 | 1 << 5 | 1 << 6]),))
    database.close()

    assert coverage(listing_of({}), tmp_path) == (0.75, ".coverage")
    (tmp_path / ".coverage").write_bytes(b"SQLite format 3\0 damaged")
    assert coverage(listing_of({}), tmp_path) == (None, "")
