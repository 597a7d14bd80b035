"""Mutants name bytes and places exactly, in every way that a file can be written."""

from __future__ import annotations

import ast
import codecs
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest

from windtunnel.core.errors import UsageError
from windtunnel.mutation.mutant import Mutant
from windtunnel.mutation.python import mutants, mutated

MOST_BYTES = 4 * 1024**2


def made(source, **options):
    return [mutated(source, mutant) for mutant in mutants(source, path="a.py", **options)]


@pytest.mark.parametrize(("source", "expected"), [
    pytest.param(b"x = a\r\ny = a + b\r\n", b"x = a\r\ny = a - b\r\n", id="windows line ends"),
    pytest.param(b"x = a\ry = a + b\r", b"x = a\ry = a - b\r", id="old line ends"),
    pytest.param(b"x = a\r\ny = a + b\nz = a\r\n", b"x = a\r\ny = a - b\nz = a\r\n", id="mixed line ends"),
    pytest.param(b"if a:\n\ty = a + b", b"if a:\n\ty = a - b", id="tab and no last line end"),
    pytest.param(codecs.BOM_UTF8 + b"y = a + b\n", codecs.BOM_UTF8 + b"y = a - b\n", id="byte order mark"),
    pytest.param(b"# coding: latin-1\nx = '\xe9'; y = a + b\n", b"# coding: latin-1\nx = '\xe9'; y = a - b\n", id="latin"),
    pytest.param("é = 'ü'; y = é + b\n".encode(), "é = 'ü'; y = é - b\n".encode(), id="letters of two bytes"),
    pytest.param("x = '😀'; y = a + b\n".encode(), "x = '😀'; y = a - b\n".encode(), id="letters of four bytes"),
    pytest.param(b"y = (a  # one + two\n     + b)\n", b"y = (a  # one + two\n     - b)\n", id="comment inside"),
    pytest.param(b"y = a \\\n  + b\n", b"y = a \\\n  - b\n", id="joined line"),
    pytest.param(b"x = a\n\x0c\ny = a + b\n", b"x = a\n\x0c\ny = a - b\n", id="form feed"),
    pytest.param(b"y = f'{a + b}'\n", b"y = f'{a - b}'\n", id="inside an f-string"),
])
def test_every_other_byte_stays(source, expected):
    assert made(source, operators=["arithmetic"]) == [expected]


def test_a_mutant_says_all_about_its_place():
    source = "class A:\n    def f(self):\n        é = 1; return [é < 2]\n".encode()

    [found] = mutants(source, path="a/b.py", operators=["boundary"])

    assert found == Mutant(
        id=found.id, path="a/b.py", operator="boundary", line=3, column=27, end_line=3, end_column=28, original="<",
        replacement="<=", start=source.index(b"<"), end=source.index(b"<") + 1, function="A.f", scope="function",
        description="< → <=")


def test_columns_are_those_of_the_syntax_tree_of_the_interpreter():
    source = "x = ['é', 1,\n     '😀', 22]\n".encode()

    found = {(mutant.line, mutant.column, mutant.end_line, mutant.end_column)
             for mutant in mutants(source, path="a.py", operators=["constants"])}

    assert found == {(node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
                     for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant) and node.value in (1, 22)}


def test_a_long_statement_is_described_in_one_short_line():
    [found] = mutants(b"f(\n    " + b"a," * 100 + b"\n)\n", path="a.py", operators=["deletion"])

    assert found.description == f"f( {'a,' * 28}… dropped"


def test_a_mutant_of_another_file_is_refused():
    [found] = mutants(b"x = a + b\n", path="a.py", operators=["arithmetic"])

    with pytest.raises(UsageError, match=r"a\.py: is not the file that mutant"):
        mutated(b"xyz = a + b\n", found)


@pytest.mark.parametrize(("source", "reason"), [
    pytest.param(b"x = (\n", "a.py:1: not Python", id="broken"),
    pytest.param(b"return 1\n", "a.py:1: not Python: 'return' outside function", id="misplaced"),
    pytest.param(b"x = 1\0\n", "a.py", id="nul"),
    pytest.param(b"\x0cx = 1\n", "a.py: cannot be given back letter for letter", id="form feed before code"),
    pytest.param(b"x = '\xff'\n", "a.py: not text", id="not utf-8"),
    pytest.param(b"# coding: nonsense\n", "a.py: not text", id="unknown encoding"),
    pytest.param(b"# coding: utf-7\nx = '+AGE-'\n", "a.py: its encoding utf-7 does not give back its bytes", id="utf-7"),
    pytest.param(b"x = " + b"(" * 150 + b"1" + b")" * 150, None, id="brackets alone"),
    pytest.param(b"x = " + b"f(" * 150 + b"1" + b")" * 150, "nested too deep", id="calls"),
    pytest.param(b"x = " + b"[" * 100_000 + b"]" * 100_000, "a.py:1: not Python", id="a tower of brackets"),
    pytest.param(b"x = " + b"-" * 100_000 + b"1", "nested too deep", id="a tower of signs"),
    pytest.param(b"x = 1" + b" + 1" * 50_000, "nested too deep", id="a long sum"),
    pytest.param(b"x = 1" + b" + 1" * 900, "nested too deep", id="a sum that the interpreter would take"),
    pytest.param(b"if a:\n    pass\n" + b"elif a:\n    pass\n" * 900, "nested too deep", id="a long chain of branches"),
    pytest.param(b"x = 1" + b" " * MOST_BYTES, "more than 4194304 bytes", id="too large"),
])
def test_a_hostile_file_is_refused_or_read_and_never_brings_us_down(source, reason):
    if reason is None:
        assert made(source, operators=["constants"]) == [source.replace(b"1", b"2")]
        return
    with pytest.raises(UsageError, match=reason):
        made(source)


def test_numbers_too_long_to_count_on_are_left_alone():
    assert made(b"x = " + b"9" * 4000 + b"\n", operators=["constants"]) == []


def test_many_threads_leave_the_filters_of_warnings_as_they_were():
    before = list(warnings.filters)

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: len(made(b"x = '\\d' is a\n" * 5)), range(16)))

    assert (found, warnings.filters) == ([10] * 16, before)


def test_brackets_in_strings_are_not_nesting():
    source = b"x = '" + b"(" * 200 + b"'\ny = a + b\n"

    assert made(source, operators=["arithmetic"]) == [source.replace(b"+", b"-")]
