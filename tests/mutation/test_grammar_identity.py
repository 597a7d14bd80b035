"""The names of mutants of other languages, the functions that hold them, and the lines they are asked for by."""

from __future__ import annotations

import pytest

pytest.importorskip("tree_sitter", reason="windtunnel[syntax] is not installed")

from windtunnel.mutation.grammars import enclosing, screened

SOURCE = b"""\
import os from "os";

const LIMIT = 3;

function first(x, y) {
  if (x > LIMIT) {
    return x + y;
  }
  return x + y;
}

class Shape {
  area(scale) {
    const inner = (z) => z * scale;
    return inner(this.sides);
  }
}

function last(x) {
  return x + 1;
}
"""


def found(source, **options):
    return screened(source, path="a.js", **options).mutants


def ids(source, **options):
    return [mutant.id for mutant in found(source, **options)]


def test_names_are_unique():
    names = ids(SOURCE)

    assert len(names) > 10
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("at", range(SOURCE.count(b"\n") + 1))
def test_a_blank_line_anywhere_changes_no_name(at):
    lines = SOURCE.splitlines(keepends=True)

    assert ids(b"".join([*lines[:at], b"\n", *lines[at:]])) == ids(SOURCE)


def test_an_edit_in_one_function_changes_no_name_in_another():
    edited = SOURCE.replace(b"return x + 1", b"return x - 10")

    kept = [mutant.id for mutant in found(SOURCE) if mutant.function != "last"]

    assert [mutant.id for mutant in found(edited) if mutant.function != "last"] == kept


def test_another_path_gives_another_name():
    assert set(ids(SOURCE)).isdisjoint(mutant.id for mutant in screened(SOURCE, path="b.js").mutants)


@pytest.mark.parametrize("line", range(1, SOURCE.count(b"\n") + 1))
def test_the_mutants_of_a_line_are_those_of_the_file_that_touch_it(line):
    of_file = tuple(mutant for mutant in found(SOURCE) if mutant.line <= line <= mutant.end_line)

    assert found(SOURCE, lines={line}) == of_file


def test_mutants_come_in_the_order_of_the_text():
    starts = [mutant.start for mutant in found(SOURCE)]

    assert starts == sorted(starts)


@pytest.mark.parametrize(("path", "text", "expected"), [
    ("a.js", "x = a * b;", ("", "module")),
    ("a.js", "class A { x = a * b; }", ("", "module")),
    ("a.js", "function f() { return a * b; }", ("f", "function")),
    ("a.js", "const f = () => a * b;", ("f", "function")),
    ("a.js", "x.f = function () { return a * b; };", ("x.f", "function")),
    ("a.js", "x = { f: () => a * b };", ("f", "function")),
    ("a.js", "g(() => a * b);", ("<anonymous>", "function")),
    ("a.js", "class A { f() { return g(() => a * b); } }", ("A.f", "function")),
    ("a.js", "function f(x = a * b) {}", ("", "module")),
    ("a.ts", "namespace N { abstract class A { f() { return a * b; } } }", ("N.A.f", "function")),
    ("a.go", "package p\n\nfunc (s *Stack[T]) f() int { return a * b }\n", ("Stack.f", "function")),
    ("a.go", "package p\n\nvar x = a * b\n", ("", "module")),
    ("A.java", "class A { class B { int f() { return a * b; } } }", ("A.B.f", "function")),
    ("A.java", "class A { A() { x = a * b; } }", ("A.A", "function")),
    ("a.rs", "mod m { impl<T> A<T> { fn f() -> u8 { 1 * b } } }", ("m::A<T>::f", "function")),
])
def test_a_mutant_knows_the_function_that_holds_it(path, text, expected):
    [mutant] = screened(text.encode(), path=path, operators=["arithmetic"]).mutants

    assert (mutant.function, mutant.scope) == expected


@pytest.mark.parametrize(("line", "expected"), [
    (1, ""), (5, "first"), (7, "first"), (10, "first"), (11, ""), (12, ""), (13, "Shape.area"),
    (14, "Shape.area.inner"), (16, "Shape.area"), (17, ""), (20, "last"), (21, "last"), (999, ""),
])
def test_the_function_around_a_line_is_told_from_its_head_to_its_last_bracket(line, expected):
    assert enclosing(SOURCE, path="a.js", line=line) == expected


def test_the_function_around_a_line_of_code_left_alone_is_told_too():
    source = b"#[cfg(test)]\nmod tests {\n    fn t() {\n    }\n}\n"

    assert enclosing(source, path="a.rs", line=3) == "tests::t"
