"""Truths that are not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from windtunnel.mutation.grammars.nodes import LOOPS, bare, binds, is_comparison, operand_of, operator_of
from windtunnel.mutation.grammars.place import Operator, Place, Proposal, examples, instead

if TYPE_CHECKING:
    from tree_sitter import Node

_INSTEAD = {"&&": "||", "||": "&&"}
_OPPOSITE = {"true": "false", "false": "true"}


def propose(node: Node, place: Place) -> Iterator[Proposal]:
    """The other connective, the same without ``!``, the other truth."""
    if node.type == "unary_expression":
        yield from _unsigned(node, place)
    elif node.type == "binary_expression":
        yield from _connected(node, place)
    elif not _is_endless(place) and not _is_compared(place):
        yield instead(node, _OPPOSITE[place.text(node)])


def _unsigned(node: Node, place: Place) -> Iterator[Proposal]:
    sign, operand = operator_of(node), operand_of(node)
    if sign is None or operand is None or place.text(sign) != "!" or binds(operand, place):
        return
    # What a condition rules out is known to the types of TypeScript: there it is made void, by another operator.
    if not (place.grammar.name == "typescript" and _is_condition(place)):
        yield Proposal(start=node.start_byte, end=operand.start_byte, text="")


def _connected(node: Node, place: Place) -> Iterator[Proposal]:
    sign, left, right = operator_of(node), node.child_by_field_name("left"), node.child_by_field_name("right")
    if sign is None or left is None or right is None:
        return
    if place.text(sign) == "??":
        # The two may not stand beside each other without brackets.
        mark = "!" if place.grammar.typed else ""
        yield instead(node, f"(({place.text(left)}){mark} && ({place.text(right)}))")
    elif place.text(sign) in _INSTEAD and not binds(node, place):
        yield instead(sign, _INSTEAD[place.text(sign)])


def _is_compared(place: Place) -> bool:
    """Whether it stands beside ``==`` or the like, which another operator inverts."""
    parent = place.above()
    return parent is not None and is_comparison(parent, place)


def _is_condition(place: Place) -> bool:
    return _holder(place).type in {"if_statement", "while_statement", "do_statement", "ternary_expression"} and (
        _is_condition_of(_holder(place), place))


def _is_endless(place: Place) -> bool:
    """Whether it is the condition of a loop."""
    holder = _holder(place)
    return holder.type in LOOPS and (holder.type == "for_statement" or _is_condition_of(holder, place))


def _holder(place: Place) -> Node:
    """What stands around it and around its brackets."""
    steps = 1
    while place.kind_above(steps) == "parenthesized_expression":
        steps += 1
    return place.above(steps) or place.source.root


def _is_condition_of(holder: Node, place: Place) -> bool:
    condition = holder.child_by_field_name("condition")
    return condition is not None and bare(condition).id == place.path[-1][0].id


OPERATOR = Operator(
    name="boolean", title="`&&` for `||`, a `!` dropped, true for false", propose=propose, examples={
        "javascript": examples(("x = a && b;", "x = a || b;"), ("if (!a) f();", "if (a) f();"),
                               ("x = true;", "x = false;"), ("x = a ?? b;", "x = ((a) && (b));"),
                               left=("while (true) f();", "for (;true;) f();", "x = -a;", "x = a === true;")),
        "typescript": examples(("x = a || b;", "x = a && b;"), ("x = a ?? b;", "x = ((a)! && (b));"),
                               left=("let x: true;", "if (!a) f();")),
        "go": examples(("g(a || b)", "g(a && b)"), ("g(!a)", "g(a)"), ("g(true)", "g(false)"),
                       left=("for true {\n\t}", "g(-a)")),
        "java": examples(("g(a && b);", "g(a || b);"), ("g(false);", "g(true);"),
                         left=("while (true) g();", "g(a instanceof B b && b.c());")),
        "rust": examples(("g(a && b);", "g(a || b);"), ("g(!a);", "g(a);"), ("g(true);", "g(false);"),
                         left=("if let Some(x) = a && b { g() }", "match a { true => g(), _ => h() }")),
    })
