"""Assignments, loops and conditions that lack a part."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from windtunnel.repair.foreign import shapes
from windtunnel.repair.foreign.edit import Edit, Example
from windtunnel.repair.foreign.edits.base import Sort, grouped, negated, shown, swap
from windtunnel.repair.foreign.here import Here
from windtunnel.repair.foreign.typing import is_bool, is_integer, is_number, type_of

if TYPE_CHECKING:
    from tree_sitter import Node

_GIVEN = {
    "=": (("+=", 0.1), ("-=", 0.03), ("*=", 0.02)),
    "+=": (("-=", 0.14), ("=", 0.1), ("*=", 0.05)),
    "-=": (("+=", 0.16), ("=", 0.05), ("/=", 0.01)),
    "*=": (("+=", 0.12), ("/=", 0.08), ("=", 0.03)),
    "/=": (("*=", 0.1), ("-=", 0.05), ("%=", 0.03)),
    "%=": (("/=", 0.12),),
    "|=": (("&=", 0.15), ("^=", 0.1)),
    "&=": (("|=", 0.15),),
    "^=": (("|=", 0.12), ("&=", 0.1)),
    "<<=": ((">>=", 0.15),),
    ">>=": (("<<=", 0.15),),
}
_MOST_ATOMS = 40


def _assignment(node: Node, here: Here) -> Iterator[Edit]:
    if node.type in {"update_expression", "inc_statement", "dec_statement"}:
        sign = next((child for child in node.children if child.type in {"++", "--"}), None)
        if sign is not None:
            other = "--" if sign.type == "++" else "++"
            yield swap(sign, other, name="assignment", prior=0.14, reason=f"`{sign.type}` becomes `{other}`")
        yield from _stepped(node, here)
        return
    sign = shapes.sign_of(node) if node.type in shapes.ASSIGNMENTS else None
    both = shapes.sides(node)
    if sign is None or both is None:
        return
    for other, prior in _GIVEN.get(here.text(sign), ()):
        number = is_number(type_of(both[0], here), here) or not here.table.typed
        if other == "=" or here.text(sign) != "=" or number:
            yield swap(sign, other, name="assignment", prior=prior, reason=f"`{here.text(sign)}` becomes `{other}`")
    names = [side for side in map(shapes.bare, both) if side.type in {"identifier", *shapes.MEMBERS, *shapes.INDEXES}]
    if here.text(sign) == "=" and len(names) == 2:  # noqa: PLR2004 -- both sides
        yield swap(
            node,
            f"{here.text(both[1])} = {here.text(both[0])}",
            name="assignment",
            prior=0.05,
            reason="both sides of the assignment change places",
        )


def _stepped(node: Node, here: Here) -> Iterator[Edit]:
    """A step of one that should be a step of something else."""
    inner = shapes.parts(node)
    for name in list(here.visible(node.start_byte))[:8] if inner else ():
        if name.name != here.text(inner[0]) and is_integer(name.type or here.guessed.get(name.name, ""), here):
            sign = "-=" if "--" in here.text(node) else "+="
            yield swap(
                node,
                f"{here.text(inner[0])} {sign} {name.name}",
                name="assignment",
                prior=0.02,
                reason=f"a step of {name.name}",
            )


def _jump(node: Node, here: Here) -> Iterator[Edit]:
    text = here.text(node).rstrip(";")
    end = ";" if here.text(node).endswith(";") else ""
    if text in {"break", "continue"} and node.type not in {"break", "continue"}:
        other = "continue" if text == "break" else "break"
        yield swap(node, f"{other}{end}", name="jump", prior=0.18, reason=f"`{text}` becomes `{other}`")


def _walk(node: Node, here: Here) -> Iterator[Edit]:
    """An ``if`` that should go on, a loop that should ask once, an ``else`` that hides the next question."""
    if node.type in {"if_statement", "if_expression"} and node.child_by_field_name("alternative") is None:
        word = node.children[0]
        loop = "for" if here.table.name == "go" else "while"
        if here.text(word) == "if" and node.child_by_field_name("initializer") is None:
            yield swap(word, loop, name="loop", prior=0.02, reason="asked again until it no longer holds")
    if node.type in {"while_statement", "while_expression"}:
        yield swap(node.children[0], "if", name="loop", prior=0.02, reason="asked once")


def _condition(node: Node, here: Here) -> Iterator[Edit]:
    """A part of the condition is missing: one that the function asks elsewhere, or a simple question."""
    asked = shapes.condition_of(node) if node.type in shapes.IFS | shapes.WHILES | {"for_statement"} else None
    values = shapes.parts(node) if node.type in shapes.RETURNS else []
    if len(values) == 1 and is_bool(type_of(values[0], here), here):
        asked = shapes.bare(values[0])
    if asked is None:
        return
    own, told = here.text(asked), {here.text(asked)}
    for atom, prior in islice(_atoms(asked, here), _MOST_ATOMS):
        if atom in told or atom in own:
            continue
        told.add(atom)
        for sign, share in (("&&", 1.0), ("||", 0.8)):
            mixed = asked.type == "binary_expression" and shapes.sign(asked) in shapes.LOGIC - {sign}
            text = f"({own})" if mixed else own
            yield swap(
                asked,
                f"{text} {sign} {atom}",
                name="condition-added",
                prior=prior * share,
                reason=f"{shown(atom)} must be asked too",
            )
            if sign == "&&":
                yield swap(
                    asked,
                    f"{atom} {sign} {text}",
                    name="condition-added",
                    prior=prior * share * 0.8,
                    reason=f"{shown(atom)} must be asked first",
                )


def _atoms(asked: Node, here: Here) -> Iterator[tuple[str, float]]:
    at = asked.start_byte
    names = [(name.name, name.type or here.guessed.get(name.name, "")) for name in here.visible(at)]
    known = {name for name, _ in names}
    for node in here.nodes:
        simple = node.type == "binary_expression" and shapes.sign(node) in shapes.COMPARISONS
        if simple and node.start_byte != at and _free(node, here) <= known:
            yield here.text(node), 0.02
            yield negated(node, here), 0.008
    for name, kind in names:
        if is_bool(kind, here):
            yield name, 0.02
            yield f"!{name}", 0.02
    inside = {here.text(node) for node in here.nodes if node.start_byte >= at and node.end_byte <= asked.end_byte}
    if here.table.null:
        yield from (
            (f"{name} {here.table.equal[1]} {here.table.null}", 0.012)
            for name, kind in names
            if not is_number(kind, here) and not is_bool(kind, here) and kind != "string"
        )
    integers = [name for name, kind in names if is_integer(kind, here)]
    for name in integers:
        near = 1.5 if name in inside else 1.0
        yield from (
            (f"{name} {sign} 0", 0.006 * near) for sign in (">", here.table.equal[0], here.table.equal[1], ">=")
        )
    for one in integers[:5]:
        yield from (
            (f"{one} {sign} {other}", 0.004)
            for other in integers[:5]
            if one != other
            for sign in ("<", "<=", here.table.equal[1], here.table.equal[0])
        )


def _free(node: Node, here: Here) -> set[str]:
    """The variables that an expression reads."""
    found, waiting = set(), [node]
    while waiting:
        one = waiting.pop()
        member = shapes.member_of(one)
        if one.type == "identifier":
            found.add(here.text(one))
        waiting.extend([member[0]] if member is not None else one.named_children)
    return found - set(here.functions)


def _result(node: Node, here: Here) -> Iterator[Edit]:
    """What a function gives back: the opposite, another question joined, nothing special."""
    if node.type not in shapes.RETURNS:
        return
    values = [
        one for part in shapes.parts(node) for one in (shapes.parts(part) if part.type == "expression_list" else [part])
    ]
    for value in values[:3]:
        if is_bool(type_of(value, here), here) and value.type not in shapes.BOOLEANS:
            yield swap(value, negated(value, here), name="return", prior=0.06, reason="the opposite is given back")
        elif is_integer(type_of(value, here), here) and value.type not in shapes.INTEGERS:
            yield swap(
                value, f"-{grouped(value, here)}", name="return", prior=0.01, reason="the negative is given back"
            )
        kind = here.result() if len(values) == 1 else ""
        for zero in here.table.zeros.get(kind, here.table.zeros.get(kind.partition("<")[0], ()) if kind else ()):
            if zero != here.text(value):
                yield swap(value, zero, name="return", prior=0.012, reason=f"{zero} is given back")


ASSIGNMENT = Sort(
    name="assignment",
    title="another way to give a value",
    edits=_assignment,
    examples=(
        Example(language="java", before="a += b; return a;", after="a -= b; return a;"),
        Example(language="go", before="a = b", after="a += b"),
        Example(language="rust", before="a += b; return a;", after="a = b; return a;"),
    ),
)
JUMP = Sort(
    name="jump",
    title="break for continue",
    edits=_jump,
    examples=(
        Example(language="go", before="for { break }", after="for { continue }"),
        Example(language="rust", before="loop { break; }", after="loop { continue; }"),
    ),
)
WALK = Sort(
    name="loop",
    title="asked once or again",
    edits=_walk,
    examples=(
        Example(language="java", before="if (a > b) { a--; } return a;", after="while (a > b) { a--; } return a;"),
    ),
)
CONDITION = Sort(
    name="condition-added",
    title="a question more in a condition",
    edits=_condition,
    examples=(
        Example(
            language="java",
            before="if (a > 1) { return b; } return a;",
            after="if (a > 1 && b > 0) { return b; } return a;",
        ),
    ),
)
RESULT = Sort(
    name="return",
    title="another result",
    edits=_result,
    examples=(Example(language="javascript", before="return a > b;", after="return a <= b;"),),
)
