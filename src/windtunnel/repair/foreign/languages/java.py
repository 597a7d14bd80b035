"""Java, where equality of objects has a method and division of whole numbers drops the rest."""

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
    "decimal_integer_literal": "int",
    "string_literal": "String",
    "decimal_floating_point_literal": "double",
    "true": "boolean",
    "false": "boolean",
}
_PRIMITIVES = frozenset({"int", "long", "short", "byte", "double", "float", "boolean", "char", "bool"})


def declares(node: Node, tree: Tree) -> Iterable[Declared]:
    """Parameters, variables and fields."""
    kind = node.child_by_field_name("type")
    if node.type in {"formal_parameter", "enhanced_for_statement", "catch_formal_parameter", "resource"}:
        name = node.child_by_field_name("name")
        if name is not None:
            yield tree.text(name), tree.text(kind) if kind is not None else ""
    elif node.type in {"local_variable_declaration", "field_declaration"} and kind is not None:
        for declarator in node.children_by_field_name("declarator"):
            name, value = declarator.child_by_field_name("name"), declarator.child_by_field_name("value")
            made = _MADE.get(value.type, "") if value is not None else ""
            if name is not None:
                yield tree.text(name), made if tree.text(kind) == "var" else tree.text(kind)
    elif node.type in {"inferred_parameters", "lambda_expression"}:
        held = node if node.type == "inferred_parameters" else node.child_by_field_name("parameters")
        parts = [] if held is None else [held] if held.type == "identifier" else shapes.parts(held)
        yield from ((tree.text(part), "") for part in parts if part.type == "identifier")


def result(function: Node, tree: Tree) -> str:
    """The type that a method declares."""
    kind = function.child_by_field_name("type")
    return tree.text(kind) if kind is not None and function.type == "method_declaration" else ""


def own(node: Node, here: Here) -> Iterator[Edit]:
    """Equality of objects, and division that keeps the rest."""
    from windtunnel.repair.foreign.typing import is_integer, type_of  # noqa: PLC0415 -- it needs the tables

    both = shapes.sides(node) if node.type == "binary_expression" else None
    if both is not None and shapes.sign(node) in {"==", "!="}:
        left, right = (type_of(side, here) for side in both)
        no = "!" if shapes.sign(node) == "!=" else ""
        known = {left, right} - {""}
        if known and not known & _PRIMITIVES and not any(side.type in shapes.NULLS for side in both):
            yield _edit(
                node,
                f"{no}{here.text(both[0])}.equals({here.text(both[1])})",
                "equality",
                0.3,
                "objects are compared by what they hold",
            )
    if both is not None and shapes.sign(node) == "/" and all(is_integer(type_of(side, here), here) for side in both):
        floats = here.result() in {"double", "float"}
        yield _edit(
            both[0],
            f"(double) {here.text(both[0])}",
            "division",
            0.2 if floats else 0.01,
            "whole numbers divide without a rest",
        )
    if node.type == "cast_expression":
        value = node.child_by_field_name("value")
        if value is not None:
            yield _edit(node, here.text(value), "cast", 0.02, "the cast drops a part of the value")


def _edit(node: Node, text: str, name: str, prior: float, reason: str) -> Edit:
    return Edit(start=node.start_byte, end=node.end_byte, text=text, name=name, prior=prior, reason=reason)


TABLE = Table(
    name="java",
    title="Java",
    package="tree_sitter_java",
    integers=frozenset({"int", "long", "short", "byte", "Integer", "Long"}),
    floats=frozenset({"double", "float", "Double", "Float"}),
    strings=frozenset({"String"}),
    bools=frozenset({"boolean", "Boolean"}),
    zeros={
        "int": ("0", "1", "-1"),
        "long": ("0", "1", "-1"),
        "double": ("0.0", "1.0"),
        "boolean": ("false", "true"),
        "String": ('""', "null"),
        "List": ("new ArrayList<>()", "null"),
        "Map": ("new HashMap<>()",),
        "Set": ("new HashSet<>()",),
        "Optional": ("Optional.empty()",),
        "Integer": ("0", "null", "1", "-1"),
        "char": ("' '",),
        "": ("null",),
    },
    extremes=("Integer.MAX_VALUE", "Integer.MIN_VALUE"),
    bounds=("Math.max({0}, {1})", "Math.min({0}, {1})"),
    families=(
        ("min", "max"),
        ("add", "remove", "contains"),
        ("addFirst", "addLast", "add"),
        ("pollFirst", "pollLast", "poll"),
        ("removeFirst", "removeLast"),
        ("peekFirst", "peekLast", "peek"),
        ("getFirst", "getLast"),
        ("push", "offer", "add"),
        ("indexOf", "lastIndexOf"),
        ("floor", "ceil", "round"),
        ("toLowerCase", "toUpperCase"),
        ("equals", "equalsIgnoreCase"),
        ("startsWith", "endsWith", "contains"),
        ("anyMatch", "allMatch", "noneMatch"),
        ("append", "insert"),
        ("isDigit", "isLetter", "isLetterOrDigit"),
        ("isUpperCase", "isLowerCase"),
        ("keySet", "values", "entrySet"),
        ("put", "putIfAbsent"),
        ("findFirst", "findAny"),
        ("sqrt", "cbrt"),
        ("get", "getOrDefault"),
        ("poll", "peek"),
        ("containsKey", "containsValue"),
        ("floorMod", "floorDiv"),
        ("max", "sum", "average"),
        ("sin", "cos"),
        ("log", "log10"),
        ("reversed", "naturalOrder"),
        ("parseInt", "valueOf"),
        ("isPresent", "isEmpty"),
    ),
    wrappers={
        "int": ("Math.abs({})", "-{}"),
        "long": ("Math.abs({})", "-{}"),
        "double": ("Math.abs({})", "Math.floor({})", "Math.ceil({})", "Math.round({})", "-{}"),
        "String": ("{}.trim()", "{}.toLowerCase()", "{}.toUpperCase()", "new StringBuilder({}).reverse().toString()"),
        "List": ("new ArrayList<>({})",),
        "char": ("Character.toLowerCase({})", "Character.toUpperCase({})"),
    },
    counts=frozenset(
        {
            "length",
            "size",
            "indexOf",
            "lastIndexOf",
            "compareTo",
            "compare",
            "intValue",
            "parseInt",
            "hashCode",
            "getNumericValue",
            "floorMod",
        }
    ),
    appends=("{0}.add({1});", "{0}.append({1});", "{0}.push({1});"),
    collections=frozenset(
        {
            "List",
            "ArrayList",
            "Set",
            "HashSet",
            "Deque",
            "ArrayDeque",
            "Queue",
            "LinkedList",
            "Stack",
            "StringBuilder",
            "Collection",
            "TreeSet",
            "PriorityQueue",
        }
    ),
    declares=declares,
    result=result,
    own=own,
    example="class A {{\n  int f(int a, int b, int[] xs) {{\n    {}\n  }}\n}}\n",
)
