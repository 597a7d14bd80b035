"""Languages by name, functions that fail at once, and files that say the same."""

from __future__ import annotations

import pytest

pytest.importorskip("tree_sitter", reason="windtunnel[syntax] is not installed")

from grammar_cases import mutated

from windtunnel.mutation.grammars import forced, language_of, same

THROW = 'throw new Error("forced by windtunnel");'
JAVA = 'if (true) throw new RuntimeException("forced by windtunnel");'
GO = 'if true { panic("forced by windtunnel") };'
RUST = 'if true { panic!("forced by windtunnel"); }'


def failing(text, path):
    source = text.encode()
    return [(mutant.function, mutated(source, mutant).decode()) for mutant in forced(source, path=path)]


@pytest.mark.parametrize(("path", "expected"), [
    ("src/a.js", "javascript"), ("a.mjs", "javascript"), ("a.cjs", "javascript"), ("a.jsx", "javascript"),
    ("a.ts", "typescript"), ("a.mts", "typescript"), ("a.tsx", "typescript"), ("a.d.ts", None), ("a.go", "go"),
    ("A.java", "java"), ("a.rs", "rust"), ("a.py", None), ("Makefile", None), ("a.js/b", None),
])
def test_a_language_is_known_by_the_name_of_a_file(path, expected):
    assert language_of(path) == expected


@pytest.mark.parametrize(("path", "text", "expected"), [
    ("a.js", "function f(a) { return a; }", [("f", f"function f(a) {{ {THROW} return a; }}")]),
    ("a.js", "f = (a) => a + 1;", [("f", f"f = (a) => (() => {{ {THROW} }})();")]),
    ("a.js", 'function f() { "use strict"; g(); }', [("f", f'function f() {{ "use strict"; {THROW} g(); }}')]),
    ("a.ts", "abstract class A { abstract f(): void; g(): void {} }",
     [("A.g", f"abstract class A {{ abstract f(): void; g(): void {{ {THROW}}} }}")]),
    ("a.go", "package p\n\nfunc f() int {\n\treturn 1\n}\n", [("f", f"package p\n\nfunc f() int {{ {GO}\n\treturn 1\n}}\n")]),
    ("a.go", "package p\n\nfunc init() {}\n", []),
    ("A.java", "class A { A(int x) { super(x); g(); } int h(); }",
     [("A.A", f"class A {{ A(int x) {{ super(x); {JAVA} g(); }} int h(); }}")]),
    ("a.rs", "fn f() -> u8 { 1 }", [("f", f"fn f() -> u8 {{ {RUST} 1 }}")]),
    ("a.rs", "const fn f() -> u8 { 1 }\n#[test]\nfn t() {}", []),
])
def test_each_function_with_a_body_has_one_that_fails_at_once(path, text, expected):
    assert failing(text, path) == expected


def test_functions_of_one_name_have_names_of_their_own():
    source = b"class A { int f(int x) { return x; } int f(long x) { return 1; } }"

    assert len({mutant.id for mutant in forced(source, path="A.java")}) == 2


@pytest.mark.parametrize(("path", "before", "after"), [
    ("a.js", "x = a+b;", "x = a + b; // sum\n"),
    ("a.js", "f(a,\n  b);", "f(a, b);"),
    ("a.js", "x = 1;", "x = 1"),
    ("a.go", "package p\n\nvar x = 1\n", "package p\n// one\nvar   x = 1;\n"),
    ("A.java", "class A { /** a */ int x; }", "class A {\n  int x;\n}"),
    ("a.rs", "fn f() { g(); }", "fn f() {\n    /* why */\n    g();\n}"),
])
def test_comments_and_white_space_say_nothing(path, before, after):
    assert same(before.encode(), after.encode(), path=path)


@pytest.mark.parametrize(("path", "before", "after"), [
    ("a.js", "x = a + b;", "x = a - b;"),
    ("a.js", "x = 'a b';", "x = 'a  b';"),
    ("a.js", "x = `a b`;", "x = `a  b`;"),
    ("a.js", "x = (a + b) * c;", "x = a + b * c;"),
    ("a.js", "() => { return a; }", "() => { return\na; }"),
    ("a.js", "for (; a;) b();", "for (; ; a) b();"),
    ("a.js", "x = 1;", "x = 1; y = 2;"),
    ("a.js", "x = <a>b c</a>;", "x = <a>b  c</a>;"),
    ("a.ts", "let x: A;", "let x: B;"),
    ("a.go", 'package p\n\nvar x = "a b"\n', 'package p\n\nvar x = "a  b"\n'),
    ("a.rs", "fn f() { g() }", "fn f() { g(); }"),
    ("a.js", "x = (", "x = ( "),
])
def test_all_else_does(path, before, after):
    assert not same(before.encode(), after.encode(), path=path)


def test_what_cannot_be_read_is_the_same_as_itself():
    assert same(b"x = (", b"x = (", path="a.js")
