"""Shapes that code repeats: mirrored branches, the best so far, indexes that go round."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from windtunnel.repair.foreign import shapes
from windtunnel.repair.foreign.edit import Edit, Example
from windtunnel.repair.foreign.edits.base import Sort, grouped, is_target, shown, swap
from windtunnel.repair.foreign.here import Here

if TYPE_CHECKING:
    from tree_sitter import Node

_MIRROR = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_MOST_COPIED = 300
_MOST_NAMES = 6


def _analogy(node: Node, here: Here) -> Iterator[Edit]:
    """A question that is asked of one variable only: the same of another, before or after it, perhaps mirrored."""
    inner = shapes.parts(node)[0] if node.type == "expression_statement" and shapes.parts(node) else node
    if (
        not shapes.is_statement(node)
        or inner.type not in shapes.IFS
        or inner.child_by_field_name("alternative") is not None
    ):
        return
    text, indent = here.text(node), here.tree.indent(node.start_byte)
    if indent is None or len(text) > _MOST_COPIED:
        return
    names = {name.name: name.type or here.guessed.get(name.name, "") for name in here.visible(node.start_byte)}
    used = [name for name in names if re.search(rf"\b{re.escape(name)}\b", text)]
    for one in used[:_MOST_NAMES]:
        for other in [name for name in names if name not in used and here.alike(names[one], names[name])][:_MOST_NAMES]:
            copy = re.sub(rf"\b{re.escape(one)}\b", other, text)
            unused = 2.0 if here.uses[other] == 0 else 1.0
            for new, prior in ((copy, 0.015), (_mirrored(copy), 0.02)):
                yield Edit(
                    start=node.start_byte,
                    end=node.start_byte,
                    text=f"{new}\n{indent}",
                    name="analogy",
                    prior=prior * unused,
                    reason=f"what is asked of {one} is asked of {other} too",
                )


def _mirrored(text: str) -> str:
    return re.sub(r"(?<= )[<>]=?(?= )", lambda found: _MIRROR[found[0]], text, count=1)


def _tracked(node: Node, here: Here) -> Iterator[Edit]:
    """Where something is compared with the best so far, the best so far is set."""
    asked = shapes.condition_of(node) if node.type in shapes.IFS else None
    body = node.child_by_field_name("consequence")
    both = shapes.sides(asked) if asked is not None and asked.type == "binary_expression" else None
    if both is None or body is None or asked is None or shapes.sign(asked) not in _MIRROR:
        return
    inner = next((child for child in body.named_children if child.type == "statement_list"), body)
    first = next(iter(shapes.statements(inner)), None)
    indent = here.tree.indent(first.start_byte) if first is not None else None
    if first is None or indent is None:
        return
    for kept, seen in (both, both[::-1]):
        assigned = re.search(rf"\b{re.escape(here.text(kept))} [-+]?= ", here.text(body))
        if kept.type == "identifier" and assigned is None:
            text = f"{here.text(kept)} = {here.text(seen)}{here.table.end}"
            yield Edit(
                start=first.start_byte,
                end=first.start_byte,
                text=f"{text}\n{indent}",
                name="tracked",
                prior=0.03,
                reason=f"{here.text(kept)} is compared with and never set",
            )


def _wrapped_index(node: Node, here: Here) -> Iterator[Edit]:
    """An index that goes round at the end."""
    held = shapes.index_of(node)
    if held is None or held[1].type in {"range_expression", *shapes.INTEGERS} or "%" in here.text(held[1]):
        return
    length = {"go": "len({})", "rust": "{}.len()"}.get(here.table.name, "{}.length").format(here.text(held[0]))
    prior = 0.03 if held[1].type == "binary_expression" else 0.008
    yield swap(
        held[1],
        f"{grouped(held[1], here)} % {length}",
        name="index",
        prior=prior,
        reason="the index goes round at the end",
    )


def _crossed(node: Node, here: Here) -> Iterator[Edit]:
    """Two indexes one after the other change places."""
    outer = shapes.index_of(node)
    inner = shapes.index_of(outer[0]) if outer is not None else None
    if outer is None or inner is None or here.text(outer[1]) == here.text(inner[1]):
        return
    mark = " (target)" if is_target(node) else ""
    yield swap(
        node,
        f"{here.text(inner[0])}[{here.text(outer[1])}][{here.text(inner[1])}]",
        name="index",
        prior=0.1,
        reason=f"both indexes of {shown(here.text(node))} change places{mark}",
    )


def _neighbour(node: Node, here: Here) -> Iterator[Edit]:
    """What is called around one side of a sum or comparison is called around the other, which has the same shape."""
    both = shapes.sides(node) if node.type == "binary_expression" else None
    for called, plain in (both, both[::-1]) if both is not None else ():
        inner = _around(shapes.bare(called))
        other = shapes.bare(plain)
        if inner is None or other.type != inner.type or here.text(other) == here.text(inner):
            continue
        if other.type == "binary_expression" and shapes.sign(other) != shapes.sign(inner):
            continue
        text = here.text(called)
        at = inner.start_byte - called.start_byte
        if len(text) != called.end_byte - called.start_byte:
            continue
        changed = text[:at] + here.text(other) + text[at + inner.end_byte - inner.start_byte :]
        yield swap(plain, changed, name="neighbour", prior=0.08 if other.type == "binary_expression" else 0.03,
                   reason=f"{shown(here.text(plain))} is taken like {shown(text)}")


def _around(call: Node) -> Node | None:
    """The only thing that a call is about: its one argument, or its owner where it has none."""
    if call.type not in shapes.CALLS:
        return None
    given, called = shapes.arguments(call), call.child_by_field_name("function")
    held = shapes.member_of(called) if called is not None else None
    owner = call.child_by_field_name("object") or (held[0] if held is not None else None)
    about = given[0] if len(given) == 1 else owner if not given else None
    return shapes.bare(about) if about is not None else None


ANALOGY = Sort(
    name="analogy",
    title="a question that is asked of one variable and not of its like",
    edits=_analogy,
    examples=(
        Example(
            language="java",
            before="if (a > 9) {\n      return 9;\n    }\n    return a + b;",
            after="if (b > 9) {\n      return 9;\n    }\n    if (a > 9) {\n      return 9;\n    }\n    return a + b;",
        ),
    ),
)
TRACKED = Sort(
    name="tracked",
    title="the best so far that is never set",
    edits=_tracked,
    examples=(
        Example(language="go", before="if a > b {\n\t\tuse(xs)\n\t}", after="if a > b {\n\t\tb = a\n\t\tuse(xs)\n\t}"),
    ),
)
WRAPPED_INDEX = Sort(
    name="index",
    title="an index that goes round",
    edits=_wrapped_index,
    examples=(Example(language="javascript", before="return xs[a + b];", after="return xs[(a + b) % xs.length];"),),
)
CROSSED = Sort(
    name="crossed",
    title="two indexes that change places",
    edits=_crossed,
    examples=(Example(language="javascript", before="return xs[a][b];", after="return xs[b][a];"),),
)
NEIGHBOUR = Sort(
    name="neighbour",
    title="a call that one side has and the other lacks",
    edits=_neighbour,
    examples=(
        Example(
            language="java",
            before="return Math.abs(a - 1) + (b - 2);",
            after="return Math.abs(a - 1) + Math.abs(b - 2);",
        ),
        Example(language="rust", before="return a.abs() + b;", after="return a.abs() + b.abs();"),
    ),
)
