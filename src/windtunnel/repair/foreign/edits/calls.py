"""Arguments in the wrong order, calls that are missing and calls that are too many."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

from windtunnel.repair.foreign import shapes
from windtunnel.repair.foreign.edit import Edit, Example
from windtunnel.repair.foreign.edits.base import Sort, grouped, is_called, is_target, shown, swap
from windtunnel.repair.foreign.here import Here
from windtunnel.repair.foreign.typing import type_of

if TYPE_CHECKING:
    from tree_sitter import Node

_MOST_ARGUMENTS = 6
_WRAPPED = frozenset(
    {
        "identifier",
        "binary_expression",
        "call_expression",
        "method_invocation",
        "member_expression",
        "field_access",
        "field_expression",
        "selector_expression",
        "array_access",
        "subscript_expression",
        "index_expression",
        "parenthesized_expression",
    }
)


def _swapped(node: Node, here: Here) -> Iterator[Edit]:
    given = shapes.arguments(node) if node.type in shapes.CALLS else []
    if not 1 < len(given) <= _MOST_ARGUMENTS:
        return
    for left, right in combinations(given, 2):
        if here.text(left) == here.text(right) or not here.alike(type_of(left, here), type_of(right, here)):
            continue
        between = here.tree.content[left.end_byte : right.start_byte].decode("utf-8", "replace")
        yield Edit(
            start=left.start_byte,
            end=right.end_byte,
            text=here.text(right) + between + here.text(left),
            name="arguments",
            prior=0.12 / (len(given) - 1),
            reason=f"{shown(here.text(left))} and {shown(here.text(right))} change places",
        )


def _argument(node: Node, here: Here) -> Iterator[Edit]:
    """One more or one less, where the function called is of the file and takes another number, or takes any."""
    called = shapes.callee(node) if node.type in shapes.CALLS else None
    held = node.child_by_field_name("arguments")
    if called is None or held is None or held.type not in shapes.ARGUMENTS:
        return
    given, known = shapes.arguments(node), here.functions.get(here.text(called))
    loose = not here.table.typed
    if given and (loose or (known is not None and known[0] < len(given))):
        rest = ", ".join(here.text(one) for one in given[:-1])
        yield swap(held, f"({rest})", name="arguments", prior=0.015, reason=f"without {shown(here.text(given[-1]))}")
    if known is not None and known[0] > len(given):
        for name in list(here.visible(node.start_byte))[:8]:
            rest = ", ".join([*(here.text(one) for one in given), name.name])
            yield swap(held, f"({rest})", name="arguments", prior=0.06, reason=f"{name.name} was not handed on")


def _wrapped(node: Node, here: Here) -> Iterator[Edit]:
    if node.type not in _WRAPPED or is_target(node) or is_called(node) or not _is_whole(node):
        return
    kind = type_of(node, here)
    if kind == "bool":
        return
    head = kind.partition("<")[0]
    table = here.table.wrappers
    calls = (
        table.get(kind)
        or table.get(head)
        or table.get(here.family(kind))
        or (table.get("collection") if kind.endswith("[]") and here.table.name == "typescript" else None)
        or (() if kind else table.get("", ()))
    )
    share = 0.05 if kind else 0.02
    for at, call in enumerate(calls or ()):
        text = call.format(here.text(node) if "({})" in call else grouped(node, here))
        if here.text(node).startswith(call.partition("{")[0]) and call[0] != "{":
            continue
        used = 2.0 if _names_used(call, here) else 1.0
        yield swap(
            node,
            text,
            name="call",
            prior=share * used / (1 + 0.5 * at),
            reason=f"{shown(here.text(node))} becomes {shown(text)}",
        )


def _names_used(call: str, here: Here) -> bool:
    """Whether the file calls the same elsewhere, which makes it likely to be meant here too."""
    word = call.replace("{}", "").strip(".()-").partition("(")[0]
    return len(word) > 1 and word.encode() in here.tree.content


def _is_whole(node: Node) -> bool:
    """Whether a value is used as it is: given, returned, kept, calculated with or compared."""
    parent = node.parent
    if parent is None:
        return False
    if parent.type == "block":
        return parent.named_children[-1] == node
    return parent.type in shapes.RETURNS | shapes.ARGUMENTS | shapes.ASSIGNMENTS | {
        "binary_expression",
        "variable_declarator",
        "let_declaration",
        "expression_list",
        "for_expression",
        "for_in_statement",
        "array",
        "spread_element",
        "parenthesized_expression",
        "ternary_expression",
        "arrow_function",
        "enhanced_for_statement",
        "short_var_declaration",
    }


def _unwrapped(node: Node, here: Here) -> Iterator[Edit]:
    """A call that is too many: its only argument, or its owner, is what was meant."""
    if node.type not in shapes.CALLS or (node.parent is not None and node.parent.type == "expression_statement"):
        return
    given = shapes.arguments(node)
    called = node.child_by_field_name("function")
    held = shapes.member_of(called) if called is not None else None
    owner = node.child_by_field_name("object") or (held[0] if held is not None else None)
    if len(given) == 1:
        yield swap(
            node,
            here.text(given[0]),
            name="call-dropped",
            prior=0.025,
            reason=f"without the call in {shown(here.text(node))}",
        )
    if owner is not None and owner.type not in {"this", "super"} and here.text(owner)[:1].islower():
        yield swap(
            node,
            here.text(owner),
            name="call-dropped",
            prior=0.03 if not given else 0.012,
            reason=f"without the call in {shown(here.text(node))}",
        )


def _choice(node: Node, here: Here) -> Iterator[Edit]:
    """Both answers of a choice change places, or one of them is always right."""
    first, second = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
    if node.type not in shapes.TERNARIES or first is None or second is None:
        return
    between = here.tree.content[first.end_byte : second.start_byte].decode("utf-8", "replace")
    yield Edit(
        start=first.start_byte,
        end=second.end_byte,
        text=here.text(second) + between + here.text(first),
        name="choice",
        prior=0.1,
        reason="both answers change places",
    )
    for kept in (first, second):
        yield swap(node, here.text(kept), name="choice", prior=0.015, reason=f"always {shown(here.text(kept))}")


SWAPPED = Sort(
    name="arguments",
    title="two arguments changed",
    edits=_swapped,
    examples=(Example(language="java", before="return g(a, b);", after="return g(b, a);"),),
)
ARGUMENT = Sort(
    name="argument",
    title="one argument more or less",
    edits=_argument,
    examples=(Example(language="javascript", before="return f(a, b);", after="return f(a, b, xs);"),),
)
WRAPPED = Sort(
    name="call",
    title="a call that is missing around a value",
    edits=_wrapped,
    examples=(
        Example(language="java", before="return a - b;", after="return Math.abs(a - b);"),
        Example(language="rust", before="return a - b;", after="return (a - b).abs();"),
    ),
)
UNWRAPPED = Sort(
    name="call-dropped",
    title="a call that is too many",
    edits=_unwrapped,
    examples=(Example(language="java", before="return Math.abs(a);", after="return a;"),),
)
CHOICE = Sort(
    name="choice",
    title="the two answers of a choice",
    edits=_choice,
    examples=(Example(language="javascript", before="return a ? b : xs;", after="return a ? xs : b;"),),
)
