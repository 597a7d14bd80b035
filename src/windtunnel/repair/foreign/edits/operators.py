"""Signs of comparison, arithmetic and logic that are taken for one another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from windtunnel.repair.foreign import shapes
from windtunnel.repair.foreign.edit import Edit, Example
from windtunnel.repair.foreign.edits.base import Sort, grouped, negated, shown, swap
from windtunnel.repair.foreign.here import Here
from windtunnel.repair.foreign.typing import is_bool, type_of

if TYPE_CHECKING:
    from tree_sitter import Node

_COMPARED = {
    "<": (("<=", 0.26), (">", 0.12), (">=", 0.06), ("!=", 0.02)),
    "<=": (("<", 0.26), (">=", 0.12), (">", 0.06), ("==", 0.02)),
    ">": ((">=", 0.26), ("<", 0.12), ("<=", 0.06), ("!=", 0.02)),
    ">=": ((">", 0.26), ("<=", 0.12), ("<", 0.06), ("==", 0.02)),
    "==": (("!=", 0.16), ("<=", 0.04), (">=", 0.04), ("<", 0.03), (">", 0.03)),
    "!=": (("==", 0.16), ("<", 0.03), (">", 0.04), (">=", 0.01)),
    "===": (("!==", 0.16), ("<=", 0.03), (">=", 0.03), ("<", 0.02), (">", 0.02)),
    "!==": (("===", 0.16), ("<", 0.02), (">", 0.03)),
}
_CALCULATED = {
    "+": (("-", 0.2), ("*", 0.08), ("/", 0.012), ("%", 0.012)),
    "-": (("+", 0.2), ("/", 0.02), ("*", 0.04), ("%", 0.015)),
    "*": (("+", 0.12), ("/", 0.1), ("-", 0.04), ("%", 0.015)),
    "/": (("*", 0.12), ("%", 0.12), ("-", 0.03), ("+", 0.02)),
    "%": (("/", 0.15), ("*", 0.04), ("-", 0.03)),
    "**": (("*", 0.15),),
    "&": (("|", 0.15), ("^", 0.1), (">>", 0.02)),
    "|": (("&", 0.15), ("^", 0.1)),
    "^": (("&", 0.15), ("|", 0.12)),
    "<<": ((">>", 0.2),),
    ">>": (("<<", 0.2),),
    ">>>": ((">>", 0.2),),
}


def _comparison(node: Node, here: Here) -> Iterator[Edit]:
    sign = shapes.sign_of(node) if node.type == "binary_expression" else None
    both = shapes.sides(node)
    if sign is None or both is None or sign.type not in _COMPARED:
        return
    kinds = {type_of(side, here) for side in both}
    ordered = not any(
        is_bool(kind, here) or kind == "string" or kind in here.table.strings for kind in kinds
    ) and not any(side.type in shapes.NULLS | shapes.STRINGS | shapes.BOOLEANS for side in both)
    for other, prior in _COMPARED[sign.type]:
        word = "===" if other == "==" and here.table.name in {"javascript", "typescript"} else other
        word = "!==" if other == "!=" and here.table.name in {"javascript", "typescript"} else word
        if ordered or other in {"==", "!=", "===", "!=="}:
            close = {sign.type, other} in ({"<", "<="}, {">", ">="})
            yield swap(
                sign,
                word,
                name="boundary" if close else "comparison",
                prior=prior,
                reason=f"`{sign.type}` becomes `{word}` in {shown(here.text(node))}",
            )


def _arithmetic(node: Node, here: Here) -> Iterator[Edit]:
    sign = shapes.sign_of(node) if node.type == "binary_expression" else None
    both = shapes.sides(node)
    if sign is None or both is None or sign.type not in _CALCULATED:
        return
    if sign.type == "+" and "string" in {here.family(type_of(side, here)).lower() for side in both}:
        return
    for other, prior in _CALCULATED[sign.type]:
        yield swap(
            sign,
            other,
            name="arithmetic",
            prior=prior,
            reason=f"`{sign.type}` becomes `{other}` in {shown(here.text(node))}",
        )
    # What was one product of a sum may have been meant for all of it.
    left, right = (shapes.bare(side) for side in both)
    if sign.type in {"*", "/", "%"}:
        yield from _regrouped(node, here, left=both[0], right=both[1])
    if sign.type in {"-", "/", "%"} and here.text(left) != here.text(right):
        yield swap(
            node,
            f"{grouped(right, here)} {sign.type} {grouped(left, here)}",
            name="operands",
            prior=0.07,
            reason=f"both sides of `{sign.type}` change places",
        )


def _regrouped(node: Node, here: Here, *, left: Node, right: Node) -> Iterator[Edit]:
    parent = node.parent
    outer = shapes.sides(parent) if parent is not None and parent.type == "binary_expression" else None
    if outer is None or parent is None or shapes.sign(parent) not in {"+", "-"}:
        return
    sign, sum_sign = shapes.sign(node), shapes.sign(parent)
    if outer[1] == node:
        text = f"({here.text(outer[0])} {sum_sign} {here.text(left)}) {sign} {here.text(right)}"
    else:
        text = f"{here.text(left)} {sign} ({here.text(right)} {sum_sign} {here.text(outer[1])})"
    yield swap(parent, text, name="grouping", prior=0.05, reason=f"`{sum_sign}` is done before `{sign}`")


def _ungrouped(node: Node, here: Here) -> Iterator[Edit]:
    inner = shapes.parts(node) if node.type == "parenthesized_expression" else []
    outside = node.parent
    if (
        len(inner) == 1
        and inner[0].type == "binary_expression"
        and outside is not None
        and (outside.type == "binary_expression")
    ):
        yield swap(node, here.text(inner[0]), name="grouping", prior=0.03, reason="without the parentheses")


def _logic(node: Node, here: Here) -> Iterator[Edit]:
    sign = shapes.sign_of(node) if node.type == "binary_expression" else None
    both = shapes.sides(node)
    if sign is None or both is None or sign.type not in shapes.LOGIC:
        return
    other = "||" if sign.type == "&&" else "&&"
    yield swap(sign, other, name="boolean", prior=0.24, reason=f"`{sign.type}` becomes `{other}`")
    for kept, gone in (both, both[::-1]):
        yield swap(
            node, here.text(kept), name="condition-dropped", prior=0.05, reason=f"without {shown(here.text(gone))}"
        )
        yield swap(
            gone, negated(gone, here), name="negation", prior=0.05, reason=f"the opposite of {shown(here.text(gone))}"
        )


def _negation(node: Node, here: Here) -> Iterator[Edit]:
    if node.type == "unary_expression" and shapes.sign(node) in {"!", "-"} and shapes.parts(node):
        inner, sign = shapes.parts(node)[-1], shapes.sign(node)
        yield swap(
            node,
            here.text(shapes.bare(inner)),
            name="negation",
            prior=0.16 if sign == "!" else 0.08,
            reason=f"without the `{sign}`",
        )
    asked = shapes.condition_of(node) if node.type in shapes.IFS | shapes.WHILES | shapes.TERNARIES else None
    if asked is not None and not (asked.type == "unary_expression" and shapes.sign(asked) == "!"):
        simple = asked.type != "binary_expression"
        yield swap(
            asked,
            negated(asked, here),
            name="negation",
            prior=0.14 if simple else 0.03,
            reason=f"the opposite of {shown(here.text(asked))}",
        )


COMPARISON = Sort(
    name="comparison",
    title="another comparison, or the same with or without its bound",
    edits=_comparison,
    examples=(
        Example(language="javascript", before="return a < b;", after="return a <= b;"),
        Example(language="go", before="return a == b", after="return a != b"),
        Example(language="rust", before="return a > b;", after="return a >= b;"),
    ),
)
ARITHMETIC = Sort(
    name="arithmetic",
    title="another sign of arithmetic, or its sides changed",
    edits=_arithmetic,
    examples=(
        Example(language="java", before="return a + b;", after="return a - b;"),
        Example(language="rust", before="return a - b;", after="return b - a;"),
        Example(language="go", before="return a + b*a", after="return (a + b) * a"),
    ),
)
GROUPING = Sort(
    name="grouping",
    title="parentheses dropped",
    edits=_ungrouped,
    examples=(Example(language="java", before="return (a + b) * a;", after="return a + b * a;"),),
)
LOGIC = Sort(
    name="boolean",
    title="and for or, a part of a condition dropped or turned round",
    edits=_logic,
    examples=(
        Example(language="java", before="return a > 1 && b > 1;", after="return a > 1 || b > 1;"),
        Example(language="go", before="return a > 1 && b > 1", after="return a > 1"),
    ),
)
NEGATION = Sort(
    name="negation",
    title="a condition or value turned round",
    edits=_negation,
    examples=(
        Example(language="javascript", before="if (a) { return b; }", after="if (!a) { return b; }"),
        Example(language="rust", before="if !ready(a) { return b; }", after="if ready(a) { return b; }"),
    ),
)
