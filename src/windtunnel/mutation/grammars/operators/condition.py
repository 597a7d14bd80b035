"""Conditions that are inverted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from windtunnel.mutation.grammars.nodes import bare, binds, is_comparison, operator_of
from windtunnel.mutation.grammars.parts import parts
from windtunnel.mutation.grammars.place import Operator, Place, Proposal, examples, instead

if TYPE_CHECKING:
    from tree_sitter import Node

_OTHERS = frozenset({"true", "false", "boolean_literal", "instanceof_expression"})
_WORD = re.compile(r"[\w$]+")
_CLAUSES = frozenset({"for_clause", "range_clause", "block"})


def propose(node: Node, place: Place) -> Iterator[Proposal]:
    """``!`` before a condition that no other operator inverts."""
    condition = _condition(node)
    if condition is None:
        return
    inner = bare(condition)
    if inner.type in _OTHERS or is_comparison(inner, place) or binds(inner, place):
        return
    if place.grammar.name == "typescript":
        yield instead(inner, _void(node, inner, place))
    elif not _is_inverted(inner, place):
        yield instead(inner, f"!({place.text(inner)})")


def _void(node: Node, condition: Node, place: Place) -> str:
    """Always or never, where what its types are known by stays: always where the branch leaves without its names."""
    then = node.child_by_field_name("consequence")
    block = then is not None and then.type == "statement_block"
    last = next(reversed(parts(then)), None) if then is not None and block else then
    leaves = (node.type == "if_statement" and last is not None and last.type in place.grammar.ends
              and set(_WORD.findall(place.text(condition))).isdisjoint(_WORD.findall(place.text(then or last))))
    return f"({place.text(condition)}) {'|| !0' if leaves else '&& !1'}"


def _condition(node: Node) -> Node | None:
    found = node.child_by_field_name("condition")
    if found is None and node.type == "for_statement":
        return next((child for child in parts(node) if child.type not in _CLAUSES), None)
    return found


def _is_inverted(node: Node, place: Place) -> bool:
    sign = operator_of(node) if node.type in {"unary_expression", "binary_expression"} else None
    return sign is not None and place.text(sign) in {"!", "in", "instanceof"}


OPERATOR = Operator(
    name="condition", title="a condition inverted", propose=propose, examples={
        "javascript": examples(("if (a) f();", "if (!(a)) f();"), ("x = a.b() ? c : d;", "x = !(a.b()) ? c : d;"),
                               ("while (a && b) f();", "while (!(a && b)) f();"),
                               left=("if (a === b) f();", "while (true) f();", "if (!a) f();")),
        "typescript": examples(("if (a) f();", "if ((a) && !1) f();"), ("if (!a) throw b;", "if ((!a) || !0) throw b;"),
                               ("if (a) return f(a);", "if ((a) && !1) return f(a);"),
                               left=("type T = A extends B ? C : D;",)),
        "go": examples(("if ok {\n\t}", "if !(ok) {\n\t}"), ("for ok() {\n\t}", "for !(ok()) {\n\t}"),
                       left=("if err != nil {\n\t}", "for {\n\t}", "for range x {\n\t}")),
        "java": examples(("if (x()) g();", "if (!(x())) g();"),
                         left=("if (a instanceof B b) g();", "while (true) g();")),
        "rust": examples(("if x() { g() }", "if !(x()) { g() }"),
                         ("match a { n if h(n) => g(), _ => i() }", "match a { n if !(h(n)) => g(), _ => i() }"),
                         left=("if let Some(x) = a { g() }", "while let Some(x) = a { g() }")),
    })
