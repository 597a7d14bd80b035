"""Wrong variables, members and methods."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from windtunnel.repair.foreign import shapes
from windtunnel.repair.foreign.edit import Edit, Example
from windtunnel.repair.foreign.edits.base import Sort, is_called, is_target, shown, swap
from windtunnel.repair.foreign.here import Here
from windtunnel.repair.foreign.typing import type_of

if TYPE_CHECKING:
    from tree_sitter import Node

_MOST_NAMES = 16


def _variable(node: Node, here: Here) -> Iterator[Edit]:
    if node.type != "identifier" or is_called(node) or _is_label(node):
        return
    own, kind = here.text(node), type_of(node, here)
    target = is_target(node)
    if target and (node.parent is None or _declares(node)):
        return
    if own not in {name.name for name in here.visible(node.start_byte)}:
        return
    others = [
        (name, _closeness(name.name, own, kind=kind, other=name.type or here.guessed.get(name.name, ""), here=here))
        for name in here.visible(node.start_byte)
        if name.name != own
    ]
    fitting = sorted(((name, share) for name, share in others if share), key=lambda row: -row[1])[:_MOST_NAMES]
    for name, share in fitting:
        unused = 2.5 if here.uses[name.name] == 0 and name.parameter else 1.0
        prior = min(0.3, (0.05 if target else 0.1) * share * unused * (3 / (2 + len(fitting))))
        yield swap(node, name.name, name="variable", prior=prior, reason=f"{own} becomes {name.name}")


def _declares(node: Node) -> bool:
    parent = node.parent
    while parent is not None and parent.type in {"expression_list", "tuple_pattern"}:
        parent = parent.parent
    return parent is not None and parent.type not in shapes.ASSIGNMENTS


def _closeness(name: str, own: str, *, kind: str, other: str, here: Here) -> float:
    """From 0 to 1: nothing where types cannot fit; more where both are known and the names are alike."""
    if not here.alike(kind, other):
        return 0.0
    unknown = 0.35 if here.table.typed else 0.55
    exact = 1.0 if kind and other and (kind == other) else 0.7 if kind and other else unknown
    return exact * (0.75 + 0.25 * SequenceMatcher(None, name, own).ratio())


def _is_label(node: Node) -> bool:
    parent = node.parent
    if parent is None:
        return True
    held = shapes.member_of(parent)
    if held is not None and held[1] == node:
        return True
    return (
        parent.type
        in {
            "labeled_statement",
            "field_initializer",
            "pair",
            "scoped_identifier",
            "macro_invocation",
            "method_declaration",
            "function_declaration",
            "function_item",
            "import_specifier",
            "named_argument",
            "token_tree",
        }
        and parent.child_by_field_name("value") != node
    )


def _member(node: Node, here: Here) -> Iterator[Edit]:
    """Another member of the same owner: one that the file uses or declares."""
    held = shapes.member_of(node)
    if held is None or (
        node.parent is not None
        and node.parent.type in shapes.CALLS
        and node.parent.child_by_field_name("function") == node
    ):
        return
    owner, own = here.text(held[0]), here.text(held[1])
    seen = dict.fromkeys(
        here.text(other[1])
        for one in here.nodes
        if (other := shapes.member_of(one)) is not None and here.text(other[0]) == owner and not _is_method(one)
    )
    declared = [name for name, kind in here.fields.items() if own in here.fields and kind == here.fields[own]]
    for name in list(dict.fromkeys([*seen, *declared]))[:_MOST_NAMES]:
        if name != own and here.alike(here.fields.get(own, ""), here.fields.get(name, "")):
            yield swap(held[1], name, name="member", prior=0.06, reason=f"{owner}.{own} becomes {owner}.{name}")


def _is_method(node: Node) -> bool:
    return (
        node.parent is not None
        and node.parent.type in shapes.CALLS
        and (node.parent.child_by_field_name("function") == node)
    )


def _method(node: Node, here: Here) -> Iterator[Edit]:
    """Another of the same family, or another function of the file that takes as much."""
    called = shapes.callee(node) if node.type in shapes.CALLS else None
    if called is None:
        return
    own = here.text(called)
    kin = dict.fromkeys(name for family in here.table.families if own in family for name in family)
    kin.pop(own, None)
    for name in kin:
        yield swap(called, name, name="method", prior=max(0.03, 0.2 / (1 + len(kin))), reason=f"{own} becomes {name}")
    known = here.functions.get(own)
    if known is None:
        return
    others = [
        name
        for name, row in here.functions.items()
        if name != own and row[0] == known[0] and here.alike(row[1], known[1])
    ][:_MOST_NAMES]
    for name in others:
        yield swap(called, name, name="function", prior=0.08 / (1 + len(others)), reason=f"{own} becomes {name}")


def _index_for_value(node: Node, here: Here) -> Iterator[Edit]:
    """The index where the member is meant, and the other way round."""
    held = shapes.index_of(node)
    if held is not None and held[1].type == "identifier" and not is_target(node):
        yield swap(
            node,
            here.text(held[1]),
            name="value-for-index",
            prior=0.03,
            reason=f"the index instead of {shown(here.text(node))}",
        )
    if node.type != "identifier" or is_target(node) or is_called(node) or _is_label(node):
        return
    name = here.text(node)
    pairs = dict.fromkeys(
        here.text(one)
        for one in here.nodes
        if (other := shapes.index_of(one)) is not None and here.text(other[1]) == name
    )
    pairs.update(dict.fromkeys(f"{owner}[{name}]" for owner in _bounding(name, here)))
    inside = node.parent is not None and shapes.index_of(node.parent) is not None
    both = shapes.sides(node.parent) if node.parent is not None and node.parent.type == "binary_expression" else None
    for side in both or ():
        other = shapes.index_of(side)
        if other is not None and side != node:
            pairs.setdefault(f"{here.text(other[0])}[{name}]")
    for whole in list(pairs)[:4]:
        if not inside:
            yield swap(node, whole, name="value-for-index", prior=0.02, reason=f"what {shown(whole)} holds is meant")


def _bounding(name: str, here: Here) -> Iterator[str]:
    """Collections whose length a counter runs up to."""
    length = r"(?:len\((?P<go>\w+)\)|(?P<other>\w+)\.len(?:gth)?\b)"
    for found in re.finditer(rf"\b{re.escape(name)} (?:<=?|in [\w ]+\.\.=?) ?{length}", here.text(here.function)):
        yield found["go"] or found["other"]


VARIABLE = Sort(
    name="variable",
    title="another variable that fits",
    edits=_variable,
    examples=(
        Example(language="java", before="int c = a; return c;", after="int c = b; return c;"),
        Example(language="go", before="return a - a", after="return a - b"),
    ),
)
MEMBER = Sort(
    name="member",
    title="another member of the same owner",
    edits=_member,
    examples=(
        Example(
            language="javascript", before="return a.low + a.high * a.high;", after="return a.low + a.low * a.high;"
        ),
    ),
)
METHOD = Sort(
    name="method",
    title="another method of the same family",
    edits=_method,
    examples=(
        Example(language="javascript", before="return Math.min(a, b);", after="return Math.max(a, b);"),
        Example(language="rust", before="return a.min(b);", after="return a.max(b);"),
    ),
)
INDEX = Sort(
    name="value-for-index",
    title="index for value",
    edits=_index_for_value,
    examples=(
        Example(language="go", before="return xs[a]", after="return a"),
        Example(
            language="java",
            before="int n = 0; for (int i = 0; i < xs.length; i++) { n += i; }",
            after="int n = 0; for (int i = 0; i < xs.length; i++) { n += xs[i]; }",
        ),
    ),
)
