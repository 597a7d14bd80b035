"""Constants, bounds and initial values that are off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from windtunnel.repair.foreign import shapes
from windtunnel.repair.foreign.edit import Edit, Example
from windtunnel.repair.foreign.edits.base import Sort, is_target, shown, swap
from windtunnel.repair.foreign.here import Here
from windtunnel.repair.foreign.typing import is_integer, is_number, type_of

if TYPE_CHECKING:
    from tree_sitter import Node

_MOST_OTHERS = 12
_MOST_DIGITS = 15
_ONE_LETTER = 3
"""Characters of one letter in quotes."""


def _number(node: Node, here: Here) -> Iterator[Edit]:
    text = here.text(node)
    if node.type not in shapes.INTEGERS or not text.isdigit() or len(text) > _MOST_DIGITS:
        return
    value = int(text)
    priors: dict[str, float] = {}
    for other, prior in (
        (value + 1, 0.11),
        (value - 1, 0.11),
        (0, 0.06),
        (1, 0.06),
        (2, 0.02),
        (10, 0.006),
        (value * 2, 0.006),
        (-value, 0.02),
    ):
        priors.setdefault(str(other), prior)
    for number in list(dict.fromkeys(_numbers(here)))[:_MOST_OTHERS]:
        priors.setdefault(number, 0.03)
    parent = node.parent
    if (
        parent is not None
        and parent.type in {"variable_declarator", "let_declaration", "var_spec"} | shapes.ASSIGNMENTS
    ):
        priors.update(dict.fromkeys(here.table.extremes, 0.012))
    for name in list(here.visible(node.start_byte))[:8]:
        if is_integer(name.type or here.guessed.get(name.name, ""), here):
            priors.setdefault(name.name, 0.05 if here.uses[name.name] == 0 and name.parameter else 0.015)
    priors.pop(text, None)
    for wanted, prior in sorted(priors.items(), key=lambda row: -row[1]):
        yield swap(node, wanted, name="constant", prior=prior, reason=f"{text} becomes {wanted}")


def _numbers(here: Here) -> Iterator[str]:
    yield from (here.text(node) for node in here.nodes if node.type in shapes.INTEGERS | shapes.FLOATS)


def _text(node: Node, here: Here) -> Iterator[Edit]:
    if node.type not in shapes.STRINGS | shapes.CHARACTERS:
        return
    text = here.text(node)
    others = list(
        dict.fromkeys(here.text(one) for one in here.nodes if one.type == node.type and here.text(one) != text)
    )
    for other in others[:_MOST_OTHERS]:
        yield swap(node, other, name="text", prior=0.03, reason=f"{shown(text)} becomes {shown(other)}")
    yield from _letter(node, text)
    if node.type in shapes.STRINGS and "\n" not in text and text[:1] in {'"', "'"}:
        quote = text[0]
        for other, prior in (
            (quote * 2, 0.02),
            (f"{quote} {quote}", 0.02),
            (f"{quote}, {quote}", 0.004),
            (f"{quote}\\n{quote}", 0.003),
        ):
            if other != text:
                yield swap(node, other, name="text", prior=prior, reason=f"{shown(text)} becomes {shown(other)}")
        folded = text.lower() if text != text.lower() else text.upper()
        if folded != text and "\\" not in text:
            yield swap(node, folded, name="text", prior=0.012, reason="the same letters in the other case")


def _letter(node: Node, text: str) -> Iterator[Edit]:
    """The neighbours of a single letter, and the blank."""
    if len(text) == _ONE_LETTER and text[1].isalnum():
        for other in (chr(ord(text[1]) - 1), chr(ord(text[1]) + 1)):
            if other.isalnum():
                yield swap(
                    node, text[0] + other + text[2], name="text", prior=0.015, reason=f"{text[1]} becomes {other}"
                )
    if node.type in shapes.CHARACTERS and text != "' '":
        yield swap(node, "' '", name="text", prior=0.02, reason=f"{shown(text)} becomes a blank")


def _flag(node: Node, here: Here) -> Iterator[Edit]:
    text = here.text(node)
    if node.type in shapes.BOOLEANS and text in {"true", "false"}:
        other = "false" if text == "true" else "true"
        yield swap(node, other, name="constant", prior=0.16, reason=f"{text} becomes {other}")


def _offset(node: Node, here: Here) -> Iterator[Edit]:
    """One more or one less where things are counted, and what was added by mistake left out."""
    both = shapes.sides(node) if node.type == "binary_expression" else None
    if both is not None and shapes.sign(node) in {"+", "-"}:
        for kept, gone, prior in ((both[0], both[1], 0.07), (both[1], both[0], 0.02)):
            if gone.type in shapes.INTEGERS or kept == both[0] or shapes.sign(node) == "+":
                share = prior if gone.type in shapes.INTEGERS else prior / 4
                yield swap(
                    node, here.text(kept), name="excess", prior=share, reason=f"without {shown(here.text(gone))}"
                )
    if not _counts(node, here):
        return
    text = here.text(node)
    prior = 0.06 if _is_bound(node) else 0.02
    for sign in ("-", "+"):
        yield swap(node, f"{text} {sign} 1", name="off-by-one", prior=prior, reason=f"{shown(text)} is one off")


def _counts(node: Node, here: Here) -> bool:
    if node.type in shapes.INTEGERS or is_target(node) or not node.is_named:
        return False
    names = {
        "identifier",
        "call_expression",
        "method_invocation",
        "member_expression",
        "field_access",
        "field_expression",
        "selector_expression",
        "binary_expression",
        "array_access",
        "subscript_expression",
        "index_expression",
    }
    if node.type not in names or (
        node.type == "binary_expression" and shapes.sign(node) not in {"+", "-", "*", "/", "%"}
    ):
        return False
    kind = type_of(node, here)
    return is_integer(kind, here) or (kind == "" and not here.table.typed and _is_bound(node))


def _is_bound(node: Node) -> bool:
    """Whether it is an index, a side of a comparison, a bound of a range, an argument or a result."""
    parent = node.parent
    if parent is None:
        return False
    if parent.type == "binary_expression":
        return shapes.sign(parent) in shapes.COMPARISONS
    held = shapes.index_of(parent)
    if held is not None:
        return held[1] == node
    return parent.type in shapes.RETURNS | shapes.ARGUMENTS | {
        "range_expression",
        "slice_expression",
        "expression_list",
        "variable_declarator",
        "let_declaration",
        "assignment_expression",
        "block",
    }


def _start(node: Node, here: Here) -> Iterator[Edit]:
    """The first member of a collection as the value to begin with."""
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    if node.type not in {"variable_declarator", "let_declaration", "short_var_declaration"} or value is None:
        return
    inner = shapes.bare(value)
    if inner.type not in shapes.INTEGERS | shapes.NULLS:
        return
    for name in list(here.visible(node.start_byte))[:8]:
        kind = name.type or here.guessed.get(name.name, "")
        if kind == "collection" or "[]" in kind or kind.startswith(("[", "Vec", "&[")):
            yield swap(
                inner, f"{name.name}[0]", name="initial", prior=0.02, reason=f"begins with the first of {name.name}"
            )


def _factor(node: Node, here: Here) -> Iterator[Edit]:
    """A sum or product that lacks a part: another number of the function."""
    if node.type not in {"identifier", "binary_expression", "call_expression", "method_invocation"}:
        return
    if is_target(node) or not is_number(type_of(node, here), here):
        return
    if not _is_bound(node):
        yield from _forgotten(node, here)
        return
    text = here.text(node)
    for name in list(here.visible(node.start_byte))[:8]:
        kind = name.type or here.guessed.get(name.name, "")
        if name.name != text and is_number(kind, here) and here.alike(kind, type_of(node, here)):
            for sign, prior in (("+", 0.012), ("-", 0.01), ("*", 0.006)):
                yield swap(
                    node,
                    f"{text} {sign} {name.name}",
                    name="term",
                    prior=prior,
                    reason=f"{name.name} was left out of {shown(text)}",
                )


def _forgotten(node: Node, here: Here) -> Iterator[Edit]:
    """Within a sum or product: a parameter that nobody used."""
    if node.parent is None or node.parent.type != "binary_expression" or node.type != "identifier":
        return
    text = here.text(node)
    for name in here.visible(node.start_byte):
        if name.parameter and here.uses[name.name] == 0 and here.alike(name.type, type_of(node, here)):
            for sign, prior in (("+", 0.02), ("-", 0.015)):
                changed = f"({text} {sign} {name.name})"
                yield swap(node, changed, name="term", prior=prior, reason=f"{name.name} was left out of {shown(text)}")


NUMBER = Sort(
    name="constant",
    title="another number: one off, 0, 1, or one used nearby",
    edits=_number,
    examples=(
        Example(language="go", before="return a + 2", after="return a + 1"),
        Example(language="java", before="int n = 0; return n;", after="int n = 1; return n;"),
    ),
)
TEXT = Sort(
    name="text",
    title="another text of the same function, an empty one, or the other case",
    edits=_text,
    examples=(Example(language="javascript", before='return xs.join(",");', after='return xs.join("");'),),
)
FLAG = Sort(
    name="flag",
    title="true for false",
    edits=_flag,
    examples=(Example(language="javascript", before="return true;", after="return false;"),),
)
OFFSET = Sort(
    name="off-by-one",
    title="one more or one less; a part of a sum left out",
    edits=_offset,
    examples=(
        Example(language="java", before="return xs[a];", after="return xs[a - 1];"),
        Example(language="rust", before="return a + 1;", after="return a;"),
    ),
)
START = Sort(
    name="initial",
    title="begins with the first member",
    edits=_start,
    examples=(
        Example(
            language="javascript",
            before="let m = 0; return m + xs.length;",
            after="let m = xs[0]; return m + xs.length;",
        ),
    ),
)
FACTOR = Sort(
    name="term",
    title="a sum or product that lacks a part",
    edits=_factor,
    examples=(
        Example(language="go", before="return a", after="return a + b"),
        Example(language="java", before="return xs[a % 3];", after="return xs[(a + b) % 3];"),
    ),
)
