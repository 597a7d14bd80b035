"""Mutants of other languages name bytes and places exactly, and hostile files bring nobody down."""

from __future__ import annotations

import codecs

import pytest

pytest.importorskip("tree_sitter", reason="windtunnel[syntax] is not installed")

from grammar_cases import mutated

from windtunnel.core.errors import LanguageMissing, UsageError
from windtunnel.core.mutation import Mutant
from windtunnel.mutation.grammars import screened
from windtunnel.mutation.grammars import source as sources

MOST_BYTES = 1024**2
STARTS = {"a.js": b"x = ", "a.ts": b"x = ", "a.go": b"package p\nvar x = ", "A.java": b"class A { int x = ",
          "a.rs": b"fn f() { let x = "}
ENDS = {"a.js": b";", "a.ts": b";", "a.go": b"\n", "A.java": b"; }", "a.rs": b"; }"}


def made(source, path="a.js", **options):
    return [mutated(source, mutant) for mutant in screened(source, path=path, **options).mutants]


@pytest.mark.parametrize(("source", "expected"), [
    pytest.param(b"x = a;\r\ny = a * b;\r\n", b"x = a;\r\ny = a / b;\r\n", id="windows line ends"),
    pytest.param(b"if (a)\n\ty = a * b", b"if (a)\n\ty = a / b", id="tab and no last line end"),
    pytest.param(codecs.BOM_UTF8 + b"y = a * b;\n", codecs.BOM_UTF8 + b"y = a / b;\n", id="byte order mark"),
    pytest.param("é = 'ü'; y = é * b;\n".encode(), "é = 'ü'; y = é / b;\n".encode(), id="letters of two bytes"),
    pytest.param("x = '😀'; y = a * b;\n".encode(), "x = '😀'; y = a / b;\n".encode(), id="letters of four bytes"),
    pytest.param(b"y = a /* one * two */ * b;\n", b"y = a /* one * two */ / b;\n", id="comment inside"),
    pytest.param(b"#!/usr/bin/env node\ny = a * b;\n", b"#!/usr/bin/env node\ny = a / b;\n", id="shebang"),
    pytest.param(b"y = `${a * b}`;\n", b"y = `${a / b}`;\n", id="inside a template"),
    pytest.param(b"y = <A b={a * b} />;\n", b"y = <A b={a / b} />;\n", id="inside an element"),
])
def test_every_other_byte_stays(source, expected):
    assert made(source, operators=["arithmetic"]) == [expected]


def test_elements_are_read_in_typescript_by_the_name_of_the_file():
    source = b"const y = <A<B> b={c - d}>{e}</A>;\n"

    assert made(source, "a.tsx", operators=["arithmetic"]) == [source.replace(b"-", b"+")]


def test_a_mutant_says_all_about_its_place():
    source = "class A {\n  f() {\n    é(); return [é < 2];\n  }\n}\n".encode()

    [found] = screened(source, path="a/b.js", operators=["boundary"]).mutants

    assert found == Mutant(
        id=found.id, path="a/b.js", operator="boundary", line=3, column=21, end_line=3, end_column=22, original="<",
        replacement="<=", start=source.index(b"<"), end=source.index(b"<") + 1, function="A.f", scope="function",
        description="< → <=")


def test_a_statement_that_goes_is_described_in_one_short_line():
    [found] = screened(b"f(\n    " + b"a," * 100 + b"\n);\n", path="a.js", operators=["deletion"]).mutants

    assert found.description == f"f( {'a,' * 28}… dropped"


def test_a_sign_does_not_grow_together_with_the_one_before_it():
    assert made(b"x = a - -b;", operators=["unary"]) == [b"x = a - b;"]
    assert made(b"x = -(-a);", operators=["arithmetic", "boolean"]) == []
    assert made(b"x = a -(b - -c);", operators=["arithmetic"]) == [b"x = a +(b - -c);", b"x = a -(b + -c);"]


@pytest.mark.parametrize(("source", "operator", "expected"), [
    (b"() => { return /* a */ b.c; }", "returns", b"() => { return /* a */ undefined; }"),
    (b"if (a // b\n) f();", "condition", b"if (!(a) // b\n) f();"),
    (b"if (/* a */ b) f();", "condition", b"if (/* a */ !(b)) f();"),
    (b"throw /* a */ new TypeError(b);", "exceptions", b"throw /* a */ new Error(b);"),
    (b"f(a, /* c */ b);", "arguments", b"f(b, /* c */ a);"),
    (b"x = await /* a */ b;", "awaiting", b"x = b;"),
])
def test_comments_stand_wherever_they_like(source, operator, expected):
    assert made(source, operators=[operator]) == [expected]


def test_a_word_does_not_grow_together_with_the_one_before_it():
    assert made(b"() => { return(a); }", operators=["returns"]) == [b"() => { return undefined; }"]


@pytest.mark.parametrize(("path", "source", "reason"), [
    pytest.param("a.js", b"x = 1;\ny = (;\n", r"a\.js:2:3: not JavaScript: this is not understood", id="broken"),
    pytest.param("a.go", b"package p\nfunc f() {", r"a\.go:2:10: not Go: this is not understood", id="not closed"),
    pytest.param("a.ts", b"x = 1;\n y\0", r"a\.ts:2:3: a NUL byte", id="nul"),
    pytest.param("a.rs", b"fn f() {}\n// \xff", r"a\.rs:2:4: not UTF-8", id="not utf-8"),
    pytest.param("A.java", b" " * (MOST_BYTES + 1), "more than 1048576 bytes", id="too large"),
    pytest.param("a.js", b"x" * 10_000_000, "more than 1048576 bytes", id="one line of ten million"),
    pytest.param("a.py", b"x = 1", r"a\.py: no grammar for such a file", id="another language"),
])
def test_what_cannot_be_read_is_refused_with_its_place(path, source, reason):
    with pytest.raises(UsageError, match=reason):
        screened(source, path=path)


@pytest.mark.parametrize("path", STARTS)
@pytest.mark.parametrize(("opening", "closing"), [
    pytest.param(b"(" * 100_000, b")" * 100_000, id="brackets"),
    pytest.param(b"f(" * 20_000, b")" * 20_000, id="calls"),
    pytest.param(b"a + " * 20_000, b"", id="a long sum"),
    pytest.param(b"- " * 20_000, b"", id="signs"),
])
def test_a_tower_is_refused_and_never_brings_us_down(path, opening, closing):
    with pytest.raises(UsageError, match="nested too deep to be mutated"):
        screened(STARTS[path] + opening + b"1" + closing + ENDS[path], path=path)


def test_brackets_that_a_person_could_write_are_read():
    assert made(b"x = " + b"(" * 200 + b"a * b" + b")" * 200 + b";") == [
        b"x = " + b"(" * 200 + b"a / b" + b")" * 200 + b";"]


def test_what_takes_too_long_to_read_is_refused(monkeypatch):
    monkeypatch.setattr(sources, "_MOST_SECONDS", -1.0)

    with pytest.raises(UsageError, match=r"a\.js: takes too long to be read"):
        screened(b"x = 1;", path="a.js")


def test_literals_one_in_the_other_do_not_multiply_what_is_kept():
    source = b"x = " + b"[\n" * 500 + b"1, " * 4000 + b"]\n" * 500 + b";\n"

    kept = sum(len(mutant.original) for mutant in screened(source, path="a.js", operators=["collections"]).mutants)

    assert kept == 0


@pytest.mark.parametrize(("path", "chain", "last"), [
    ("A.java", b"boolean f() { return b instanceof C c && " + b"a &&\n" * 900 + b"a; }\n", b"boolean g() { return d && e; }"),
    ("a.rs", b"fn f() -> bool { (if let Some(b) = c { d } else { e }) &&\n" + b"a &&\n" * 900 + b"a }\n",
     b"fn g() -> bool { d && e }"),
])
@pytest.mark.parametrize(("chains", "expected"), [(0, 1), (20, 0)])
def test_long_chains_are_looked_at_for_a_while_and_then_all_is_left_alone(path, chain, last, chains, expected):
    body = chain * chains + last
    source = b"class A {\n" + body + b"\n}\n" if path == "A.java" else body

    # Each sign has all before it below it: without a bound, 20 times 900 times 900 nodes would be walked.
    assert len(screened(source, path=path, operators=["boolean"]).mutants) == expected


def test_a_line_longer_than_people_read_is_left_alone():
    source = b"x = '" + b"a" * 3000 + b"';\n" + b"y = a * b;\n" * 1000

    assert {mutant.line for mutant in screened(source, path="a.js").mutants} == set(range(2, 1002))


def test_a_missing_grammar_is_said_with_what_to_install():
    with pytest.raises(LanguageMissing, match=r"pip install 'windtunnel\[syntax\]'"):
        sources._language("tree_sitter_of_nobody", "language")
