"""Statements that are missing: counted on, collected, reset, or copied from nearby."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from windtunnel.repair.foreign import shapes
from windtunnel.repair.foreign.edit import Edit, Example
from windtunnel.repair.foreign.edits.base import Sort, end_of, is_tail, shown
from windtunnel.repair.foreign.here import Here
from windtunnel.repair.foreign.typing import element, is_integer, is_number

if TYPE_CHECKING:
    from tree_sitter import Node

_STEPS = {"go": "\t", "rust": "    ", "java": "    "}
_MOST_INSERTED = 80


def _inserted(node: Node, here: Here) -> Iterator[Edit]:
    """A statement that is missing before this one, or at the end of its block."""
    if node.type in {"block", "statement_block"} and not shapes.parts(node):
        yield from _filled(node, here)
    if not shapes.is_statement(node) or node.parent is None:
        return
    indent = here.tree.indent(node.start_byte)
    if indent is None:
        return
    in_loop = _in_loop(node)
    for text, prior in islice(_missing(node, here, in_loop=in_loop), _MOST_INSERTED):
        yield Edit(
            start=node.start_byte,
            end=node.start_byte,
            text=f"{text}\n{indent}",
            name="statement-added",
            prior=prior,
            reason=f"{shown(text)} was missing",
        )
    kin = shapes.statements(node.parent)
    if kin[-1] == node and not is_tail(node) and node.type not in shapes.ENDS and not _ends(node):
        end = end_of(node, here)
        for text, prior in islice(_missing(node, here, in_loop=in_loop), _MOST_INSERTED):
            yield Edit(
                start=end,
                end=end,
                text=f"\n{indent}{text}",
                name="statement-added",
                prior=prior * 1.3,
                reason=f"{shown(text)} was missing",
            )
        if in_loop:
            yield from (
                Edit(
                    start=end,
                    end=end,
                    text=f"\n{indent}{word}{here.table.end}",
                    name="statement-added",
                    prior=0.012,
                    reason=f"`{word}` was missing",
                )
                for word in ("break", "continue")
            )


def _filled(block: Node, here: Here) -> Iterator[Edit]:
    """An empty block is where something was forgotten."""
    indent, step = here.tree.indent(block.end_byte - 1), _STEPS.get(here.table.name, "  ")
    outer = here.tree.content[here.tree.content.rfind(b"\n", 0, block.start_byte) + 1 : block.start_byte].decode()
    around = outer[: len(outer) - len(outer.lstrip())] if indent is None else indent
    for text, prior in islice(_missing(block, here, in_loop=_in_loop(block)), _MOST_INSERTED):
        yield Edit(
            start=block.start_byte,
            end=block.end_byte,
            text=f"{{\n{around}{step}{text}\n{around}}}",
            name="statement-added",
            prior=min(0.12, prior * 4),
            reason=f"{shown(text)} was missing",
        )


def _ends(node: Node) -> bool:
    inner = shapes.parts(node)
    return node.type == "expression_statement" and bool(inner) and inner[0].type in shapes.ENDS


def _in_loop(node: Node) -> bool:
    step = node.parent
    while step is not None and step.type not in shapes.FUNCTIONS:
        if step.type in shapes.LOOPS:
            return True
        step = step.parent
    return False


def _missing(node: Node, here: Here, *, in_loop: bool) -> Iterator[tuple[str, float]]:
    end, at = here.table.end, node.start_byte
    names = [
        (name.name, name.type or here.guessed.get(name.name, "")) for name in here.visible(at) if not name.parameter
    ]
    everything = [(name.name, name.type or here.guessed.get(name.name, "")) for name in here.visible(at)]
    step = "{} += 1" if here.table.name == "rust" else "{}++"
    back = "{} -= 1" if here.table.name == "rust" else "{}--"
    for name, kind in names:
        if is_integer(kind, here):
            share = 0.02 if in_loop else 0.006
            yield step.format(name) + end, share
            yield back.format(name) + end, share / 2
    yield from _reset(here, at, end)
    for name, kind in everything:
        if _collects(kind, here):
            yield from (
                (call.format(name, value), 0.012)
                for call in here.table.appends[:2]
                for value, other in names[:6]
                if value != name and here.alike(element(kind), other)
            )
    for one, kind in names[:6]:
        for other, second in everything[:6]:
            if one != other and kind and here.alike(kind, second) and second:
                yield f"{one} = {other}{end}", 0.007
                if is_number(kind, here):
                    yield f"{one} += {other}{end}", 0.006
                    yield from ((f"{one} = {call.format(one, other)}{end}", 0.005) for call in here.table.bounds)
    yield from _copied(node, here)


def _reset(here: Here, at: int, end: str) -> Iterator[tuple[str, float]]:
    """A variable begins anew, or is turned round."""
    known = {name.name: name.type for name in here.visible(at) if not name.parameter}
    for node in here.nodes:
        name, value = (
            node.child_by_field_name("name") or node.child_by_field_name("pattern"),
            node.child_by_field_name("value"),
        )
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if node.type == "short_var_declaration" and left is not None and right is not None:
            pairs = list(zip(shapes.parts(left), shapes.parts(right), strict=False))
        else:
            pairs = [(name, value)] if name is not None and value is not None else []
        for one, begun in pairs:
            text = here.text(one)
            if (
                text in known
                and node.end_byte < at
                and (begun.type in shapes.INTEGERS | shapes.BOOLEANS or here.text(begun) in {"[]", '""', "''"})
            ):
                yield f"{text} = {here.text(begun)}{end}", 0.012
                if begun.type in shapes.BOOLEANS:
                    yield f"{text} = !{text}{end}", 0.015


def _collects(kind: str, here: Here) -> bool:
    head = kind.partition("<")[0]
    return (
        head in here.table.collections
        or (here.table.name == "go" and kind.startswith("[]"))
        or (here.table.name == "typescript" and kind.endswith("[]"))
    )


def _copied(node: Node, here: Here) -> Iterator[tuple[str, float]]:
    """Short statements that stand elsewhere in the function."""
    known, own = {name.name for name in here.visible(node.start_byte)}, here.text(node)
    told: set[str] = set()
    for other in here.nodes:
        if other.type in {"expression_statement", "assignment_statement", "inc_statement", "dec_statement"} and (
            shapes.is_statement(other) and other != node
        ):
            text = here.text(other)
            used = {here.text(one) for one in _identifiers(other)} - set(here.functions)
            locals_ = {name.name for name in here.names}
            if text not in told and text != own and len(text) < 120 and (used & locals_) <= known:  # noqa: PLR2004 -- characters of one line
                told.add(text)
                yield text, 0.01


def _identifiers(node: Node) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if one.type == "identifier":
            yield one
        waiting.extend(one.named_children)


INSERTED = Sort(
    name="statement-added",
    title="a statement that is missing",
    edits=_inserted,
    examples=(
        Example(
            language="javascript",
            before="let n = 0;\n  for (const x of xs) {\n    use(x);\n  }",
            after="let n = 0;\n  for (const x of xs) {\n    use(x);\n    n++;\n  }",
        ),
    ),
)
