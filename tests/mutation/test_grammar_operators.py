"""Each operator of other languages, each kind of code left alone and each pattern of equivalence, by its own examples."""

from __future__ import annotations

import pytest

pytest.importorskip("tree_sitter", reason="windtunnel[syntax] is not installed")

from grammar_cases import NAMES, framed, made

from windtunnel.core.errors import UsageError
from windtunnel.mutation.grammars import screened
from windtunnel.mutation.grammars.arid import ARID
from windtunnel.mutation.grammars.equivalence import PATTERNS
from windtunnel.mutation.grammars.languages import LANGUAGES
from windtunnel.mutation.grammars.operators import OPERATORS
from windtunnel.mutation.operators import OPERATORS as OF_PYTHON

EXAMPLES = [pytest.param(operator, language, example, id=f"{operator.name}-{language}-{number}")
            for operator in OPERATORS for language, given in operator.examples.items()
            for number, example in enumerate(given)]
LEFT_ALONE = [pytest.param(language, text, id=f"{rule.name}-{language}")
              for rule in ARID for language, text in rule.examples.items()]
SAME = [pytest.param(pattern, language, *given, id=f"{pattern.name}-{language}")
        for pattern in PATTERNS for language, given in pattern.examples.items()]


@pytest.mark.parametrize(("operator", "language", "example"), EXAMPLES)
def test_an_example_is_mutated_as_it_says(operator, language, example):
    found = made(framed(language, example.before), language, operators=[operator.name])

    assert found == [framed(language, after) for after in example.after]


@pytest.mark.parametrize(("operator", "language"), [(operator, language) for operator in OPERATORS
                                                    for language in operator.examples])
def test_an_operator_shows_what_it_changes_and_what_it_leaves_alone_in_each_language(operator, language):
    assert {bool(example.after) for example in operator.examples[language]} == {True, False}


@pytest.mark.parametrize("grammar", LANGUAGES, ids=lambda grammar: f"{grammar.name}-{grammar.loader}")
def test_a_language_has_examples_of_every_operator_that_it_has_and_of_no_other(grammar):
    shown = {operator.name for operator in OPERATORS if grammar.name in operator.examples}

    assert shown == set(grammar.kinds)


@pytest.mark.parametrize(("language", "text"), LEFT_ALONE)
def test_code_that_tells_nobody_anything_is_left_alone(language, text):
    assert made(framed(language, text), language) == []


@pytest.mark.parametrize(("pattern", "language", "text", "operator"), SAME)
def test_what_syntax_shows_to_change_nothing_is_dropped_and_counted(pattern, language, text, operator):
    found = screened(framed(language, text).encode(), path=NAMES[language], operators=[operator])

    assert (found.mutants, found.dropped) == ((), {pattern.name: 1})


@pytest.mark.parametrize(("text", "operator", "expected"), [
    ("x = a + 1;", "arithmetic", ["x = a - 1;"]),
    ("x = a * 2;", "arithmetic", ["x = a / 2;"]),
    ("x = a && b;", "boolean", ["x = a || b;"]),
    ("x = a > b ? a : c;", "boundary", ["x = a >= b ? a : c;"]),
])
def test_what_only_looks_like_nothing_is_kept(text, operator, expected):
    assert made(text, "javascript", operators=[operator]) == expected


@pytest.mark.parametrize(("language", "text"), [
    ("javascript", "catalog.info(a * b);"), ("javascript", "dialog.error(a * b);"), ("javascript", "log.append(a * b);"),
    ("go", "fmt.Fprintf(w, x, a*b)"), ("javascript", "setTimeout(() => { x = a * b; }, y);"),
])
def test_what_only_looks_like_logging_or_waiting_is_mutated(language, text):
    assert len(made(framed(language, text), language, operators=["arithmetic"])) == 1


@pytest.mark.parametrize(("language", "text"), [
    ("javascript", "this.log.warn(a * b);"), ("javascript", "requestLogger.info(a * b);"), ("go", "s.logger().Warnf(x, a*b)"),
    ("go", "fmt.Fprintln(os.Stderr, a*b)"), ("java", "my_log.info(a * b);"), ("java", "e.printStackTrace();"),
])
def test_loggers_of_many_names_are_left_alone(language, text):
    assert made(framed(language, text), language) == []


def test_operators_have_the_names_of_those_of_python():
    assert {operator.name for operator in OPERATORS} - {operator.name for operator in OF_PYTHON} == {"chaining"}


def test_an_operator_that_does_not_exist_is_refused_with_those_that_do():
    with pytest.raises(UsageError, match=r"no such operator: 'aritmetic' \(known: arithmetic, "):
        screened(b"", path="a.js", operators=["aritmetic"])


@pytest.mark.parametrize(("language", "text", "expected"), [
    ("javascript", "function f(x) { return x; g(1); }", ["function f(x) { return undefined; g(1); }"]),
    ("java", "class A { int f() { if (g()) { throw e; } return 1; } }", [
        "class A { int f() { if (!(g())) { throw e; } return 1; } }",
        "class A { int f() { if (g()) { ; } return 1; } }",
        "class A { int f() { if (g()) { throw e; } return 2; } }"]),
    ("rust", "fn g() { return; h(1); }", []),
])
def test_code_after_a_return_is_left_alone(language, text, expected):
    assert made(text, language) == expected


@pytest.mark.parametrize(("language", "text"), [
    ("javascript", "x = a + b; // pragma: no mutate"),
    ("javascript", "x = a + b; /* pragma: no cover */"),
    ("typescript", "function f(a: number) { // pragma: no mutate\n  return a + 1;\n}"),
    ("go", "package p\n\nfunc f(a int) int { // pragma: no mutate\n\treturn a + 1\n}\n"),
    ("java", "class A { // pragma: no mutate\n  int f(int a) {\n    return a + 1;\n  }\n}"),
    ("rust", "fn f(a: u8) -> u8 {\n    // pragma: no mutate start\n    a + 1\n    // pragma: no mutate end\n}"),
    ("javascript", "// pragma: no mutate start\nx = 1;\ny = 2;"),
])
def test_marked_lines_and_blocks_are_left_alone(language, text):
    assert made(text, language) == []


@pytest.mark.parametrize(("language", "text"), [
    ("javascript", "x = '// pragma: no mutate' + a;"),
    ("javascript", "x = 1;\n// pragma: no mutate\n"),
    ("javascript", "if (a === b) { // pragma: no mutate\n  x = 1;\n} else {\n  x = 2;\n}"),
    ("go", "package p\n\n// pragma: no mutate\nvar x = 1\n"),
])
def test_a_mark_reaches_no_further_than_its_line_or_block(language, text):
    assert len(made(text, language)) == 1


@pytest.mark.parametrize(("path", "text"), [
    ("a.go", "// Code generated by protoc-gen-go. DO NOT EDIT.\n\npackage p\n\nvar x = 1\n"),
    ("a.ts", "/**\n * @generated by a tool\n */\nconst x = 1;\n"),
    ("a.min.js", "x = 1;\n"),
    ("a.js", "x = 1;" * 200),
])
def test_files_that_nobody_writes_by_hand_are_left_alone(path, text):
    assert screened(text.encode(), path=path).mutants == ()


def test_two_operators_that_make_the_same_text_give_one_mutant():
    found = screened(b"x = !!a;", path="a.js")

    assert ([mutant.operator for mutant in found.mutants], found.dropped) == (["boolean", "boolean"], {})
