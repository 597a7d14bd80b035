"""Parts of a change put back, as mutants of the changed file."""

import pytest

from windtunnel.core.errors import UsageError
from windtunnel.engine.reverts import ChangedFile
from windtunnel.mutation.python import mutated

OLD = b"""\
\"\"\"Prices.\"\"\"
import os


def price(amount, discount):
    total = amount - discount
    return total


def label(text):
    return text.strip()
"""


def changed(new, old=OLD):
    return ChangedFile("shop.py", old, new)


def parts(file):
    """What each is, its lines, and the file that it leaves."""
    return [(each.part, each.line, each.end_line, mutated(file.after, each.mutant)) for each in file.reverts()]


def test_a_changed_line_put_back_is_the_old_file():
    file = changed(OLD.replace(b"amount - discount", b"max(0, amount - discount)"))

    assert (file.lines, parts(file)) == ({6}, [("hunk", 6, 6, OLD)])


def test_each_hunk_is_put_back_alone_and_all_of_them_together():
    one = OLD.replace(b"amount - discount", b"amount + discount")
    two = OLD.replace(b"text.strip()", b"text.lower()")
    file = changed(one.replace(b"text.strip()", b"text.lower()"))

    assert parts(file) == [("file", 6, 11, OLD), ("hunk", 6, 6, two), ("hunk", 11, 11, one)]


def test_added_lines_are_dropped_together_and_each_alone_where_the_rest_compiles():
    file = changed(OLD.replace(b"    return total\n", b"    if total < 0:\n        total = 0\n    total += 1\n    return total\n"))

    assert parts(file) == [
        ("hunk", 7, 9, OLD), ("line", 9, 9, file.after.replace(b"    total += 1\n", b""))]


def test_deleted_lines_come_back_between_the_lines_that_stood_around_them():
    file = changed(OLD.replace(b"    total = amount - discount\n", b""))
    [revert] = file.reverts()

    assert (file.lines, revert.line, revert.mutant.line, revert.mutant.end_line) == (frozenset(), 5, 5, 6)
    assert mutated(file.after, revert.mutant) == OLD


def test_a_new_file_is_put_back_as_a_whole():
    file = ChangedFile("shop.py", None, b"def one():\n    return 1\n")

    assert (file.lines, parts(file)) == ({1, 2}, [("hunk", 1, 2, b"")])


@pytest.mark.parametrize("new", [
    OLD.replace(b"Prices.", b"All prices."), OLD.replace(b"import os\n", b"import os  # for later\n\n"),
    OLD.replace(b"(text):\n", b'(text):\n    """Without blanks."""\n')])
def test_comments_docstrings_and_blank_lines_are_nothing_that_runs(new):
    file = changed(new)

    assert (file.runs, file.reverts()) == (False, [])


def test_a_file_that_did_not_compile_before_is_still_put_back_as_a_whole():
    broken = OLD.replace(b"(text):", b"(text:")
    file = changed(OLD, old=broken)

    assert parts(file) == [("hunk", 10, 10, broken)]


@pytest.mark.parametrize("new", [b"def f(:\n", b"x = '\xff'\n", b"\0"])
def test_a_file_that_does_not_compile_after_the_change_is_refused(new):
    with pytest.raises((SyntaxError, UsageError, ValueError)):
        changed(new)


@pytest.mark.parametrize(("old", "new"), [
    (b"a = 1\r\nb = 2\r\n", b"a = 1\r\nb = 3\r\n"), (b"a = 1\nb = 2", b"a = 1\nb = 2\nc = 3"),
    (b"a = 1\nb = 2\nc = 3", b"a = 1\nb = 2"), (b"\xef\xbb\xbfa = 1\n", b"\xef\xbb\xbfa = 2\n"),
    (b"# coding: latin-1\na = '\xe9'\n", b"# coding: latin-1\na = '\xe8'\n")])
def test_line_ends_marks_and_encodings_stay_as_they_were(old, new):
    file = changed(new, old=old)

    assert mutated(new, file.reverts()[0].mutant) == old


def test_a_line_that_was_written_in_another_encoding_is_left_out():
    file = changed(b"# coding: utf-8\na = '\xc3\xa9'\n", old=b"# coding: latin-1\na = '\xe9'\n")

    assert file.reverts() == []


def test_the_lines_of_one_file_that_are_put_back_one_by_one_are_bounded():
    body = b"".join(b"    total += %d\n" % number for number in range(300))
    file = changed(OLD.replace(b"    return total\n", body + b"    return total\n"))

    assert [each.part for each in file.reverts()].count("line") == 100


def test_a_revert_of_a_part_of_a_statement_takes_the_whole_statement_so_that_its_tests_are_found():
    old = b"def f():\n    return [\n        1,\n        2,\n    ]\n"
    [revert] = ChangedFile("a.py", old, old.replace(b"2", b"3")).reverts()

    assert (revert.line, revert.mutant.line, revert.mutant.end_line) == (4, 2, 5)
