"""Answers that are not given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from windtunnel.mutation.grammars.languages.go import results
from windtunnel.mutation.grammars.languages.uses import lost_variables
from windtunnel.mutation.grammars.nodes import bare, is_comparison, operator_of
from windtunnel.mutation.grammars.parts import first, parts
from windtunnel.mutation.grammars.place import Operator, Place, Proposal, examples, instead
from windtunnel.mutation.grammars.tails import tails

if TYPE_CHECKING:
    from tree_sitter import Node

_PLAIN = frozenset({"true", "false", "null", "nil", "undefined", "boolean_literal"})


def propose(node: Node, place: Place) -> Iterator[Proposal]:
    """Another value of the type that the function declares."""
    function = node if node.type == "arrow_function" else place.function
    if function is None:
        return
    if place.grammar.name == "go":
        yield from _of_many(node, function, place)
        return
    values = tails(node, place) if node.type == "block" else [_value(node)]
    for value in values:
        if value is not None and not _is_finer(value, place):
            other = _other(value, function, place)
            if other and other != place.text(value):
                yield instead(value, other)


def _value(node: Node) -> Node | None:
    if node.type == "arrow_function":
        body = node.child_by_field_name("body")
        return body if body is not None and body.type != "statement_block" else None
    return first(node)


def _is_finer(value: Node, place: Place) -> bool:
    """Whether other operators change it already, and more finely."""
    inner = bare(value)
    grammar = place.grammar
    if inner.type in _PLAIN | grammar.numbers | grammar.texts | {"array", "object", "composite_literal"}:
        return True
    sign = operator_of(inner) if inner.type in {"unary_expression", "binary_expression"} else None
    return is_comparison(inner, place) or (sign is not None and place.text(sign) in {"!", "&&", "||", "??"})


def _other(value: Node, function: Node, place: Place) -> str:
    if not place.grammar.typed:
        return "undefined"
    return _or_opposite(place.grammar.zero(function, place.source), value, place)


def _or_opposite(zero: str, value: Node, place: Place) -> str:
    return f"!({place.text(value)})" if zero == "!" else zero


def _of_many(node: Node, function: Node, place: Place) -> Iterator[Proposal]:
    """Each value of a return by itself; a variable that nobody would use any more is used before."""
    kinds = results(function)
    given = first(node)
    values = parts(given) if given is not None else []
    if len(kinds) != len(values):
        return
    for kind, value in zip(kinds, values, strict=True):
        other = "" if _is_finer(value, place) else _or_opposite(
            place.grammar.zero(kind, place.source), value, place)
        if other and other != place.text(value):
            unused = [] if other.startswith("!") else lost_variables(place, value.start_byte, value.end_byte)
            yield _with_uses(node, value, other, unused=unused, place=place)


def _with_uses(node: Node, value: Node, other: str, *, unused: list[str], place: Place) -> Proposal:
    if not unused:
        return instead(value, other)
    content = place.source.content
    rest = content[node.start_byte:value.start_byte].decode() + other + content[value.end_byte:node.end_byte].decode()
    return instead(node, f"{', '.join('_' * len(unused))} = {', '.join(unused)}; {rest}")


OPERATOR = Operator(
    name="returns", title="nothing, zero or the opposite instead of the value returned", propose=propose, examples={
        "javascript": examples(("function f(x) { return x; }", "function f(x) { return undefined; }"),
                               ("f = x => x.y;", "f = x => undefined;"),
                               left=("function f(x) { return; }", "f = x => x > 1;", "f = x => { g(x); };",
                                     "f = () => ({a});")),
        "typescript": examples(("f = (x: A): B => x.y;", "f = (x: A): B => undefined as any;"),
                               left=("function f(): boolean { return true; }",)),
        "go": examples(("func g(x int) int { return x }\n", "func g(x int) int { return 0 }\n"),
                       ("func g(x T) (T, error) { return h(x), nil }\n",
                        "func g(x T) (T, error) { return *new(T), nil }\n"),
                       ("func g() bool { return h() }\n", "func g() bool { return !(h()) }\n"),
                       ("func g() string { x := h(); return x }\n", 'func g() string { x := h(); _ = x; return "" }\n'),
                       left=("func g() (int, error) { return h() }\n", "func g() bool { return true }\n")),
        "java": examples(("class A { int f(int x) { return x; } }", "class A { int f(int x) { return 0; } }"),
                         ("class A { boolean f() { return g(); } }", "class A { boolean f() { return !(g()); } }"),
                         ("class A { Integer f() { return g(); } }", "class A { Integer f() { return 0; } }"),
                         ("class A { B f() { return g(); } }", "class A { B f() { return null; } }"),
                         left=("class A { void f() { g(x -> { return x; }); } }",
                               "class A { B f() { return null; } }")),
        "rust": examples(("fn g(x: u32) -> u32 { x }", "fn g(x: u32) -> u32 { 0 }"),
                         ("fn g(&self) -> Option<T> { self.x.get() }", "fn g(&self) -> Option<T> { None }"),
                         ("fn g(x: A) -> bool { if h() { return x.i(); } true }",
                          "fn g(x: A) -> bool { if h() { return !(x.i()); } true }"),
                         left=("fn g(x: T) -> T { x }", "fn g() -> Result<u32, E> { Ok(h()) }", "fn g() { h(); }")),
    })
