"""Whole statements: too many, too few, or in the wrong place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from windtunnel.repair.foreign import shapes
from windtunnel.repair.foreign.edit import Edit, Example
from windtunnel.repair.foreign.edits.base import DECLARING, MOST_TEXT, Sort, end_of, is_tail, shown
from windtunnel.repair.foreign.here import Here

if TYPE_CHECKING:
    from tree_sitter import Node


def _deleted(node: Node, here: Here) -> Iterator[Edit]:
    if not shapes.is_statement(node) or node.type in DECLARING or is_tail(node) or len(here.text(node)) > MOST_TEXT:
        return
    if (
        here.table.name == "rust"
        and node.type == "expression_statement"
        and node.parent is not None
        and (node.parent.named_children[-1] == node)
        and "return" in here.text(node)[:8]
    ):
        return
    start, end = _lines(node, here)
    share = (
        0.02 if node.type in shapes.IFS or (shapes.parts(node) and shapes.parts(node)[0].type in shapes.IFS) else 0.03
    )
    last = node.type in shapes.RETURNS and node.parent is not None and shapes.statements(node.parent)[-1] == node
    yield Edit(
        start=start,
        end=end,
        text="",
        name="statement-dropped",
        prior=0.005 if last else share,
        reason=f"without {shown(here.text(node))}",
    )


def _lines(node: Node, here: Here) -> tuple[int, int]:
    """The statement with its own line, where it is alone on it."""
    start, end = node.start_byte, end_of(node, here)
    indent = here.tree.indent(start)
    if indent is not None and here.tree.content[end : end + 1] == b"\n":
        return start - len(indent.encode()), end + 1
    return start, end


def _unguarded(node: Node, here: Here) -> Iterator[Edit]:
    """A question too many: what it guards is done always; or its other branch is not there."""
    branch = node.child_by_field_name("consequence") if node.type in shapes.IFS else None
    if branch is None or len(here.text(node)) > MOST_TEXT:
        return
    other = node.child_by_field_name("alternative")
    if other is not None:
        yield Edit(
            start=branch.end_byte,
            end=other.end_byte,
            text="",
            name="branch-dropped",
            prior=0.015,
            reason="without the other branch",
        )
    elif node.type == "if_statement" or (node.parent is not None and node.parent.type == "expression_statement"):
        inner = here.text(branch).strip()
        body = inner[1:-1].strip() if inner.startswith("{") else inner
        if body and "let " not in body and "const " not in body and ":=" not in body:
            yield Edit(
                start=node.start_byte,
                end=node.end_byte,
                text=body,
                name="condition-dropped",
                prior=0.015,
                reason=f"{shown(body)} is done always",
            )


def _moved(node: Node, here: Here) -> Iterator[Edit]:
    """A statement and the next change places; the last of a loop goes behind it, what follows goes into it."""
    if not shapes.is_statement(node) or node.parent is None or len(here.text(node)) > MOST_TEXT:
        return
    kin = shapes.statements(node.parent)
    at = kin.index(node)
    if at + 1 < len(kin):
        after = kin[at + 1]
        if not is_tail(after) and node.type not in shapes.ENDS and len(here.text(after)) <= MOST_TEXT:
            between = here.tree.content[end_of(node, here) : after.start_byte].decode("utf-8", "replace")
            first = here.tree.content[node.start_byte : end_of(node, here)].decode("utf-8", "replace")
            second = here.tree.content[after.start_byte : end_of(after, here)].decode("utf-8", "replace")
            small = 0.05 if max(len(first), len(second)) < 200 else 0.02  # noqa: PLR2004 -- characters of a line or two
            yield Edit(
                start=node.start_byte,
                end=end_of(after, here),
                text=second + between + first,
                name="moved",
                prior=small,
                reason=f"{shown(first)} comes after {shown(second)}",
            )
            yield from _taken_in(node, after, here)
    if len(kin) > 1 and at == len(kin) - 1:
        yield from _brought_out(node, here)


def _outer(block: Node) -> Node | None:
    """The statement that a block is the body of."""
    step = block.parent
    while step is not None and step.type not in shapes.FUNCTIONS:
        if shapes.is_statement(step):
            return step if step.type not in {"switch_statement", "match_expression"} else None
        step = step.parent
    return None


def _brought_out(node: Node, here: Here) -> Iterator[Edit]:
    block = node.parent
    while block is not None and block.type == "statement_list":
        block = block.parent
    outer = _outer(block) if block is not None else None
    if outer is None or is_tail(node):
        return
    start, end = _lines(node, here)
    indent = here.tree.indent(outer.start_byte)
    if indent is None:
        return
    rest = here.tree.content[end : outer.end_byte].decode("utf-8", "replace")
    text = here.tree.content[node.start_byte : end_of(node, here)].decode("utf-8", "replace")
    yield Edit(
        start=start,
        end=outer.end_byte,
        text=f"{rest}\n{indent}{text}",
        name="moved",
        prior=0.06,
        reason=f"{shown(text)} comes after the loop or branch that it was in",
    )


def _taken_in(node: Node, after: Node, here: Here) -> Iterator[Edit]:
    """What follows a loop or branch becomes its last statement."""
    inner = node if node.type != "expression_statement" else shapes.parts(node)[0] if shapes.parts(node) else node
    body = inner.child_by_field_name("body") or inner.child_by_field_name("consequence")
    if body is None or body.type not in {"block", "statement_block"} or not here.text(body).endswith("}"):
        return
    indent, close = here.tree.indent(after.start_byte), body.end_byte - 1
    if indent is None or body.end_byte != node.end_byte or here.tree.indent(close) is None:
        return
    text = here.tree.content[after.start_byte : end_of(after, here)].decode("utf-8", "replace")
    step = (
        "\t" if "\t" in indent or here.table.name == "go" else "    " if here.table.name in {"rust", "java"} else "  "
    )
    yield Edit(
        start=close,
        end=end_of(after, here),
        text=f"{step}{text}\n{indent}}}",
        name="moved",
        prior=0.02,
        reason=f"{shown(text)} belongs into the loop or branch before it",
    )


DELETED = Sort(
    name="statement-dropped",
    title="a statement too many",
    edits=_deleted,
    examples=(Example(language="java", before="a++; return a;", after=" return a;"),),
)
UNGUARDED = Sort(
    name="branch-dropped",
    title="a question or branch too many",
    edits=_unguarded,
    examples=(Example(language="go", before="if a > b { a = b }", after="a = b"),),
)
MOVED = Sort(
    name="moved",
    title="a statement in the wrong place",
    edits=_moved,
    examples=(
        Example(language="javascript", before="a = b; b = xs;", after="b = xs; a = b;"),
        Example(
            language="java",
            before="for (int x : xs) {\n      a += x;\n      return a;\n    }",
            after="for (int x : xs) {\n      a += x;\n    }\n    return a;",
        ),
    ),
)
