"""Mutants that syntax alone shows to be the same as the original, by name, each with examples."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from windtunnel.mutation.grammars.nodes import bare, operand_of, operator_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from windtunnel.mutation.grammars.place import Place, Proposal

_ZERO = re.compile(r"0(?:\.0*)?(?:[a-zA-Z]\w*)?")
_ONE = re.compile(r"1(?:\.0*)?(?:[a-zA-Z]\w*)?")
_SUMS, _PRODUCTS = frozenset({"+", "-", "<<", ">>", ">>>", "|"}), frozenset({"*", "/", "**"})
_EDGES = frozenset({"<", "<=", ">", ">="})


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """One reason why a replacement changes nothing."""

    name: str
    applies: Callable[[Node, Place, Proposal], bool]
    examples: Mapping[str, tuple[str, str]]
    """By language: a source, and the operator that makes nothing of it."""


def known_equivalent(node: Node, place: Place, proposal: Proposal) -> str:
    """The name of the pattern that shows it; empty where none does."""
    return next((pattern.name for pattern in PATTERNS if pattern.applies(node, place, proposal)), "")


def _sides(node: Node, place: Place) -> tuple[str, str, str]:
    """Left, sign and right of an expression with two sides; else nothing."""
    left, right, sign = node.child_by_field_name("left"), node.child_by_field_name("right"), operator_of(node)
    if node.type not in {"binary_expression", "augmented_assignment_expression", "compound_assignment_expr"} or (
            left is None or right is None or sign is None):
        return "", "", ""
    return place.text(bare(left)), place.text(sign), place.text(bare(right))


def _nothing_added(node: Node, place: Place, proposal: Proposal) -> bool:
    _, sign, right = _sides(node, place)
    return sign.removesuffix("=") in _SUMS and proposal.text.removesuffix("=") in _SUMS and bool(_ZERO.fullmatch(right))


def _times_one(node: Node, place: Place, proposal: Proposal) -> bool:
    _, sign, right = _sides(node, place)
    return (sign.removesuffix("=") in _PRODUCTS and proposal.text.removesuffix("=") in _PRODUCTS
            and bool(_ONE.fullmatch(right)))


def _same_twice(node: Node, place: Place, proposal: Proposal) -> bool:
    left, _, right = _sides(node, place)
    return left == right != "" and left.isidentifier() and proposal.text in {"&&", "||", "&", "|"}


def _signed_zero(node: Node, place: Place, proposal: Proposal) -> bool:
    operand = operand_of(node) if node.type == "unary_expression" else None
    return operand is not None and proposal.text == "" and bool(_ZERO.fullmatch(place.text(operand)))


def _edge_of_choice(node: Node, place: Place, proposal: Proposal) -> bool:
    """``a > b ? a : b`` gives one of two equal values either way."""
    left, sign, right = _sides(node, place)
    steps = 1
    while place.kind_above(steps) == "parenthesized_expression":
        steps += 1
    holder = place.above(steps)
    if not {sign, proposal.text} <= _EDGES or holder is None or proposal.text.strip("=") != sign.strip("="):
        return False
    if holder.type == "ternary_expression":
        given = [holder.child_by_field_name(name) for name in ("consequence", "alternative")]
        return {left, right} == {place.text(bare(value)) for value in given if value is not None}
    return holder.type in {"if_statement", "if_expression"} and _is_maximum(holder, {left, right}, place)


def _is_maximum(branch: Node, sides: set[str], place: Place) -> bool:
    """Whether a branch does nothing but give one side the value of the other."""
    then = branch.child_by_field_name("consequence")
    if then is None or branch.child_by_field_name("alternative") is not None:
        return False
    words = re.fullmatch(r"\{?\s*([\w.]+)\s*=\s*([\w.]+)\s*;?\s*\}?", place.text(then)[:400])
    return words is not None and {words[1], words[2]} == sides


PATTERNS = (
    Pattern(name="nothing added", applies=_nothing_added, examples={
        "javascript": ("x = a + 0;", "arithmetic"), "go": ("g(a << 0)", "arithmetic"),
        "java": ("g(a - 0);", "arithmetic"), "rust": ("g(a + 0);", "arithmetic")}),
    Pattern(name="times one", applies=_times_one, examples={
        "javascript": ("x = a * 1;", "arithmetic"), "typescript": ("x = a / 1;", "arithmetic"),
        "go": ("g(a * 1)", "arithmetic"), "java": ("g(a * 1L);", "arithmetic"), "rust": ("g(a / 1);", "arithmetic")}),
    Pattern(name="the same twice", applies=_same_twice, examples={
        "javascript": ("x = a && a;", "boolean"), "go": ("g(a & a)", "arithmetic"),
        "java": ("g(a | a);", "arithmetic")}),
    Pattern(name="zero with a sign", applies=_signed_zero, examples={
        "go": ("g(-0)", "unary"), "java": ("g(-0);", "unary"), "rust": ("g(-0);", "unary")}),
    Pattern(name="edge of a choice", applies=_edge_of_choice, examples={
        "javascript": ("x = a > b ? a : b;", "boundary"), "go": ("if a > b {\n\t\tb = a\n\t}", "boundary"),
        "java": ("if (a > b) { b = a; }", "boundary"), "rust": ("if a > b { b = a; }", "boundary")}),
)
