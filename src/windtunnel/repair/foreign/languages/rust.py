"""Rust, where ranges end before or at their bound, and numbers change type only when told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from windtunnel.repair.foreign import shapes
from windtunnel.repair.foreign.edit import Edit
from windtunnel.repair.foreign.table import Declared, Table

if TYPE_CHECKING:
    from tree_sitter import Node

    from windtunnel.repair.foreign.here import Here
    from windtunnel.repair.foreign.tree import Tree

_MADE = {
    "string_literal": "&str",
    "char_literal": "char",
    "boolean_literal": "bool",
    "integer_literal": "int",
    "float_literal": "float",
}
_CALLS = {
    "Vec::new": "Vec",
    "String::new": "String",
    "HashMap::new": "HashMap",
    "HashSet::new": "HashSet",
    "VecDeque::new": "VecDeque",
    "String::with_capacity": "String",
    "Vec::with_capacity": "Vec",
}
_INTEGERS = frozenset({"i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize"})
_SIGNED = ("i8", "i16", "i32", "i64", "isize")


def declares(node: Node, tree: Tree) -> Iterable[Declared]:
    """Parameters, variables and what patterns bind."""
    pattern, kind = node.child_by_field_name("pattern"), node.child_by_field_name("type")
    if node.type in {"parameter", "let_declaration"} and pattern is not None:
        value = node.child_by_field_name("value")
        written = tree.text(kind).lstrip("&").removeprefix("mut ") if kind is not None else _made(value, tree)
        yield from (
            (name, written if pattern.type in {"identifier", "mut_pattern"} else "") for name in bound(pattern, tree)
        )
    elif node.type == "for_expression" and pattern is not None:
        value = node.child_by_field_name("value")
        ranged = "int" if value is not None and value.type == "range_expression" else ""
        yield from ((name, ranged) for name in bound(pattern, tree))
    elif node.type in {"let_condition", "match_arm", "closure_parameters"}:
        held = node if node.type == "closure_parameters" else pattern
        yield from ((name, "") for name in (bound(held, tree) if held is not None else ()))
    elif node.type in {"const_item", "static_item"}:
        name = node.child_by_field_name("name")
        if name is not None:
            yield tree.text(name), tree.text(kind) if kind is not None else ""


def bound(pattern: Node, tree: Tree) -> Iterator[str]:
    """The names that a pattern binds."""
    waiting = [pattern]
    while waiting:
        node = waiting.pop()
        if node.type in {"identifier", "shorthand_field_identifier"}:
            text = tree.text(node)
            if text[:1].islower():
                yield text
        elif node.type == "parameter":
            waiting.extend(part for part in (node.child_by_field_name("pattern"),) if part is not None)
        elif node.type.endswith("pattern") or node.type == "closure_parameters":
            waiting.extend(reversed(node.named_children))


def _made(value: Node | None, tree: Tree) -> str:
    if value is None:
        return ""
    if value.type == "call_expression":
        function = value.child_by_field_name("function")
        name = tree.text(function) if function is not None else ""
        return "usize" if name.endswith(".len") else _CALLS.get(name, "")
    if value.type == "macro_invocation":
        return "Vec" if tree.text(value).startswith("vec!") else ""
    return _MADE.get(value.type, "")


def result(function: Node, tree: Tree) -> str:
    """The type that a function gives."""
    kind = function.child_by_field_name("return_type")
    return "" if kind is None else tree.text(kind)


_WALKS = (".iter()", ".chars()", ".into_iter()", ".bytes()")
"""What can be walked backwards too."""


def own(node: Node, here: Here) -> Iterator[Edit]:
    """Bounds of ranges, walking backwards, and arithmetic that stays in bounds."""
    if node.type == "range_expression":
        sign = next((child for child in node.children if child.type in {"..", "..="}), None)
        if sign is not None and len(shapes.parts(node)) == 2:  # noqa: PLR2004 -- both bounds
            other = "..=" if sign.type == ".." else ".."
            yield _edit(sign, other, "boundary", 0.2, "the bound itself may belong to the range, or not")
            if node.parent is not None and node.parent.type == "for_expression":
                yield _edit(node, f"({here.text(node)}).rev()", "loop", 0.03, "backwards")
    elif node.type == "call_expression" and here.text(node).endswith(_WALKS):
        yield _edit(node, f"{here.text(node)}.rev()", "loop", 0.02, "backwards")
    elif node.type == "type_cast_expression":
        value, kind = node.child_by_field_name("value"), node.child_by_field_name("type")
        if value is not None and kind is not None:
            yield from (
                _edit(kind, other, "cast", 0.015, "a type that holds the value")
                for other in ("i32", "i64", "u64", "usize", "f64")
                if other != here.text(kind)
            )
    elif node.type == "binary_expression" and shapes.sign(node) in {"-", "+", "*"}:
        both, verb = shapes.sides(node), {"-": "sub", "+": "add", "*": "mul"}[shapes.sign(node)]
        if both is not None and both[0].type in {"identifier", "call_expression", "field_expression"}:
            left, right = (here.text(side) for side in both)
            for manner, prior in (("saturating", 0.02), ("wrapping", 0.012)):
                yield _edit(node, f"{left}.{manner}_{verb}({right})", "overflow", prior, "the result stays in bounds")


def _edit(node: Node, text: str, name: str, prior: float, reason: str) -> Edit:
    return Edit(start=node.start_byte, end=node.end_byte, text=text, name=name, prior=prior, reason=reason)


TABLE = Table(
    name="rust",
    title="Rust",
    package="tree_sitter_rust",
    null="",
    braces="{}",
    integers=_INTEGERS,
    floats=frozenset({"f64", "f32"}),
    strings=frozenset({"String", "str"}),
    bools=frozenset({"bool"}),
    zeros={
        **{kind: ("0", "1", "-1") if kind in _SIGNED else ("0", "1") for kind in _INTEGERS},
        "f64": ("0.0", "1.0"),
        "String": ("String::new()",),
        "bool": ("false", "true"),
        "Vec": ("Vec::new()", "vec![]"),
        "Option": ("None",),
        "&str": ('""',),
    },
    extremes=("i32::MAX", "i32::MIN", "usize::MAX", "i64::MAX", "i64::MIN", "f64::INFINITY", "f64::NEG_INFINITY"),
    families=(
        ("min", "max"),
        ("any", "all"),
        ("push", "insert"),
        ("push_back", "push_front"),
        ("pop_back", "pop_front"),
        ("first", "last"),
        ("find", "rfind", "position"),
        ("floor", "ceil", "round", "trunc"),
        ("take", "skip"),
        ("take_while", "skip_while", "filter"),
        ("to_lowercase", "to_uppercase"),
        ("to_ascii_lowercase", "to_ascii_uppercase"),
        ("starts_with", "ends_with", "contains"),
        ("trim", "trim_start", "trim_end"),
        ("iter", "into_iter", "iter_mut"),
        ("is_some", "is_none"),
        ("is_ok", "is_err"),
        ("is_alphabetic", "is_numeric", "is_alphanumeric"),
        ("is_uppercase", "is_lowercase"),
        ("is_ascii_digit", "is_ascii_alphabetic", "is_ascii_alphanumeric"),
        ("keys", "values"),
        ("sum", "product", "count"),
        ("map", "filter", "flat_map"),
        ("chars", "bytes"),
        ("or", "and"),
        ("sort", "reverse"),
        ("min_by_key", "max_by_key"),
        ("rem_euclid", "div_euclid"),
        ("front", "back"),
        ("unwrap_or", "min", "max"),
        ("len", "capacity"),
        ("split", "rsplit"),
        ("chunks", "windows"),
        ("sqrt", "cbrt"),
        ("saturating_sub", "wrapping_sub"),
        ("get", "remove"),
        ("is_empty", "is_some"),
        ("rposition", "position"),
    ),
    bounds=("{0}.max({1})", "{0}.min({1})"),
    wrappers={
        **dict.fromkeys(_SIGNED, ("{}.abs()", "-{}", "{}.max(0)")),
        "f64": ("{}.abs()", "{}.floor()", "{}.ceil()", "{}.round()", "{}.sqrt()", "-{}"),
        "String": ("{}.trim().to_string()", "{}.to_lowercase()", "{}.to_uppercase()"),
        "&str": ("{}.trim()",),
        "str": ("{}.trim()",),
        "char": ("{}.to_ascii_lowercase()", "{}.to_ascii_uppercase()"),
        "": ("{}.abs()", "{}.rev()", "{}.to_ascii_lowercase()", "{}.clone()"),
    },
    counts=frozenset({"len", "count", "capacity", "count_ones", "leading_zeros", "trailing_zeros"}),
    appends=("{0}.push({1});", "{0}.insert({1});", "{0}.push_back({1});"),
    collections=frozenset({"Vec", "HashSet", "String", "VecDeque"}),
    declares=declares,
    result=result,
    own=own,
    example="fn f(mut a: i64, b: i64, xs: &[i64]) -> i64 {{\n    {}\n}}\n",
)
