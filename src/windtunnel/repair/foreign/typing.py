"""The type of an expression, as far as the text of its file shows it; nothing where it does not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from windtunnel.repair.foreign import shapes
from windtunnel.repair.foreign.here import Here

if TYPE_CHECKING:
    from tree_sitter import Node

_DEPTH = 8
_ELEMENT = re.compile(
    r"^(?:\[\d*\](?P<go>.+)|(?P<java>.+)\[\]|&?(?:mut )?\[(?P<rust>[^;\]]+)(?:; ?\w+)?\]|"
    r"&?(?:mut )?(?:Vec|List|ArrayList|Array|Deque|Queue|Set|HashSet|Iterable)<(?P<one>.+)>)$"
)
_LITERALS = (
    (shapes.INTEGERS, "int"),
    (shapes.FLOATS, "float"),
    (shapes.STRINGS, "string"),
    (shapes.CHARACTERS, "char"),
    (shapes.BOOLEANS, "bool"),
)


def element(kind: str) -> str:
    """The type of the members of a collection."""
    found = _ELEMENT.match(kind.strip())
    return "" if found is None else next((part for part in found.groups() if part), "").strip()


def type_of(node: Node, here: Here, *, depth: int = _DEPTH) -> str:
    """Its type, or nothing."""
    node = shapes.bare(node)
    literal = next((name for kinds, name in _LITERALS if node.type in kinds), "")
    if literal or depth <= 0:
        return literal
    if node.type in {"identifier", "binary_expression"}:
        return (
            here.type_of_name(here.text(node), node.start_byte)
            if node.type == "identifier"
            else _binary(node, here, depth=depth - 1)
        )
    if node.type in {"unary_expression", "reference_expression"}:
        inner = shapes.parts(node)
        return "bool" if shapes.sign(node) == "!" else type_of(inner[-1], here, depth=depth - 1) if inner else ""
    if node.type in shapes.CALLS:
        return _call(node, here)
    return _held(node, here, depth=depth - 1)


def _binary(node: Node, here: Here, *, depth: int) -> str:
    sign = shapes.sign(node)
    if sign in shapes.COMPARISONS or sign in shapes.LOGIC:
        return "bool"
    kinds = [type_of(side, here, depth=depth) for side in shapes.sides(node) or ()]
    if "string" in kinds or any(kind in here.table.strings for kind in kinds):
        return "string"
    return next((kind for kind in kinds if kind and kind != "int"), kinds[0] if kinds else "")


def _call(node: Node, here: Here) -> str:
    called = shapes.callee(node)
    name = here.text(called) if called is not None else ""
    if name in here.table.counts:
        return "usize" if here.table.name == "rust" else "int"
    if node.type in {"object_creation_expression", "new_expression"}:
        made = node.child_by_field_name("type") or node.child_by_field_name("constructor")
        return here.text(made) if made is not None else ""
    if name in {
        "contains",
        "includes",
        "isEmpty",
        "is_empty",
        "equals",
        "has",
        "startsWith",
        "endsWith",
        "containsKey",
        "contains_key",
        "some",
        "every",
        "any",
        "all",
        "starts_with",
        "ends_with",
    }:
        return "bool"
    return here.functions.get(name, (0, ""))[1]


def _held(node: Node, here: Here, *, depth: int) -> str:
    member = shapes.member_of(node)
    if member is not None:
        name = here.text(member[1])
        return "int" if name in here.table.counts else here.fields.get(name, "")
    held = shapes.index_of(node)
    if held is not None and held[1].type != "range_expression":
        whole = type_of(held[0], here, depth=depth)
        return element(whole) or ("byte" if here.table.name == "go" and whole == "string" else "")
    if node.type == "type_cast_expression":
        kind = node.child_by_field_name("type")
        return here.text(kind) if kind is not None else ""
    return {"array": "collection", "object": "map", "array_expression": "collection"}.get(node.type, "")


def is_number(kind: str, here: Here) -> bool:
    """Whether a type is one that is calculated with."""
    return kind in {"int", "float"} or kind in here.table.integers or kind in here.table.floats


def is_integer(kind: str, here: Here) -> bool:
    """Whether a type counts."""
    return kind == "int" or kind in here.table.integers


def is_bool(kind: str, here: Here) -> bool:
    """Whether a type says yes or no."""
    return kind == "bool" or kind in here.table.bools
