"""Mutants that no test could tell from the original are dropped and counted."""

from __future__ import annotations

import pytest

from windtunnel.mutation.custom import read_rules
from windtunnel.mutation.equivalence import BROKEN, DUPLICATE, EQUIVALENT, code_key
from windtunnel.mutation.python import mutants, mutated
from windtunnel.mutation.screening import screened


def rule(pattern, replacement, *, name="mine"):
    return read_rules(f"version: 1\nrules:\n- name: {name}\n  pattern: {pattern}\n  replacement: {replacement}\n".encode(),
                      file="rules.yaml")


def screen(text, *operators, custom=()):
    found = screened(text.encode(), path="a.py", operators=[*operators, *(each.name for each in custom)], custom=custom)
    return [mutated(text.encode(), mutant).decode() for mutant in found.mutants], dict(found.dropped)


def test_the_same_code_as_the_original_is_dropped():
    assert screen("x = f(1 + 1)\n", custom=rule("1 + 1", "4 - 2")) == ([], {EQUIVALENT: 1})


def test_the_same_code_twice_is_kept_once():
    custom = (*rule("$a + $b", "$a * $b", name="one"), *rule("$a + $b", "($a) * $b", name="two"))

    assert screen("x = a + b\n", custom=custom) == (["x = a * b\n"], {DUPLICATE: 1})


def test_what_does_not_compile_is_dropped():
    assert screen("for a in b:\n    f()\nf()\n", custom=rule("f()", "g()")) == (
        ["for a in b:\n    g()\nf()\n", "for a in b:\n    f()\ng()\n"], {})
    assert screen("def f():\n    a = 1\n    return a\n", custom=rule("a = $x", "break")) == ([], {BROKEN: 1})


def test_a_return_that_the_function_ends_with_anyway_is_the_same():
    text = "def f(x):\n    if x:\n        g()\n    else:\n        return\n"

    assert screen(text, "deletion") == (["def f(x):\n    if x:\n        pass\n    else:\n        return\n"], {EQUIVALENT: 1})


@pytest.mark.parametrize(("text", "operator", "reason"), [
    ("x = d.get(k, None)\n", "arguments", "default spelled out"),
    ("x = sorted(a, key=lambda v: v)\n", "arguments", "sorted by itself"),
    ("x = a[0:n]\n", "slices", "bound spelled out"),
    ("x = n + 0\n", "arithmetic", "nothing added"),
    ("x = a if a > b else b\n", "boundary", "edge of a choice"),
    ("for x in y:\n    if x > most:\n        most = x\n", "boundary", "edge of a maximum"),
    ("x = abs(-a)\n", "unary", "sign that is lost"),
])
def test_a_known_equivalent_is_counted_by_its_pattern(text, operator, reason):
    _, dropped = screen(text, operator)

    assert dropped == {reason: 1}


def test_without_the_patterns_an_equivalent_mutant_would_run():
    assert list(mutants(b"x = d.get(k, None)\n", path="a.py", operators=["arguments"])) == []
    assert len(list(mutants(b"x = d.get(k, 0)\n", path="a.py", operators=["arguments"]))) == 1


@pytest.mark.parametrize(("one", "other"), [
    ("x = 1", "x = 1.0"), ("x = 1", "x = True"), ("x = (1,)", "x = (1.0,)"), ("x = 0.0", "x = -0.0"),
    ("x = a in {1}", "x = a in {1.0}"), ("def f(a, b): pass", "def f(a, *, b): pass"), ("x = a", "x = b"),
    ("def f():\n return 1", "def f():\n return 2"), ("try:\n f()\nexcept A: pass", "try:\n f()\nexcept B: pass"),
])
def test_code_that_differs_is_told_apart(one, other):
    assert code_key(compile(one, "a", "exec")) != code_key(compile(other, "a", "exec"))


@pytest.mark.parametrize(("one", "other"), [
    ("x = 1 + 1", "x = 2"), ("x = 1", "\n\nx = 1  # why"), ("x = (a)", "x = a"), ("x = not (a)", "x = not a"),
])
def test_code_that_is_only_written_otherwise_is_the_same(one, other):
    assert code_key(compile(one, "a", "exec")) == code_key(compile(other, "b", "exec"))


def test_a_mutant_in_a_method_is_judged_by_its_method_alone():
    text = "class A:\n    def f(self):\n        super().f()\n        return self.__x\n"

    assert screen(text, "deletion", "returns") == (
        [text.replace("super().f()", "pass"), text.replace("self.__x", "None")], {})


def test_a_mutant_in_the_head_of_a_class_is_judged_by_the_whole_file():
    assert screen("@d\nclass A:\n    x = 1\n", "decorators") == (["\nclass A:\n    x = 1\n"], {})


def test_a_mutant_beside_letters_of_several_bytes_is_judged_at_its_place():
    text = "é = '😀'\n\n\ndef f(x):\n    é = 'ü'; return x\n"

    assert screen(text, "returns") == ([text.replace("return x", "return None")], {})


def test_generators_and_coroutines_compile_in_pieces():
    text = "async def f(x):\n    y = (await x) + 1\n    return y\n\n\ndef g(x):\n    y = (yield x) + 1\n"

    kept, dropped = screen(text, "arithmetic")

    assert (kept, dropped) == ([text.replace("(await x) + 1", "(await x) - 1"), text.replace("(yield x) + 1", "(yield x) - 1")],
                               {})
