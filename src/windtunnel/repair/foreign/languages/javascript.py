"""JavaScript, where only use tells the type of a name."""

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
    "number": "int",
    "string": "string",
    "template_string": "string",
    "true": "bool",
    "false": "bool",
    "array": "collection",
    "object": "map",
    "arrow_function": "function",
    "function_expression": "function",
}
_PATTERNS = frozenset({"identifier", "shorthand_property_identifier_pattern"})
FAMILIES = (
    ("push", "unshift"),
    ("pop", "shift"),
    ("slice", "splice", "substring"),
    ("min", "max"),
    ("some", "every"),
    ("indexOf", "lastIndexOf"),
    ("find", "findLast", "filter"),
    ("findIndex", "findLastIndex"),
    ("floor", "ceil", "round", "trunc"),
    ("map", "filter", "forEach", "flatMap"),
    ("reduce", "reduceRight"),
    ("toLowerCase", "toUpperCase"),
    ("startsWith", "endsWith", "includes"),
    ("trim", "trimStart", "trimEnd"),
    ("padStart", "padEnd"),
    ("keys", "values", "entries"),
    ("add", "delete", "has"),
    ("get", "has"),
    ("charAt", "charCodeAt", "at"),
    ("sin", "cos", "tan"),
    ("sqrt", "cbrt"),
    ("log", "log2", "log10"),
    ("replace", "replaceAll"),
    ("all", "race", "allSettled", "any"),
    ("parseInt", "parseFloat"),
    ("concat", "push"),
    ("isNaN", "isFinite"),
    ("join", "concat"),
    ("test", "exec"),
    ("resolve", "reject"),
    ("getMonth", "getDate", "getDay"),
)


def declares(node: Node, tree: Tree) -> Iterable[Declared]:
    """Parameters, variables and what a loop or handler binds."""
    if node.type == "variable_declarator":
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        made = _MADE.get(value.type, "") if value is not None else ""
        yield from (
            (found, made if name is not None and name.type == "identifier" else "") for found in bound(name, tree)
        )
    elif node.type in shapes.FUNCTIONS:
        yield from ((name, "") for name in bound(node.child_by_field_name("parameter"), tree))
    elif node.type == "formal_parameters":
        yield from ((name, "") for part in shapes.parts(node) for name in bound(part, tree))
    elif node.type == "for_in_statement":
        yield from ((name, "") for name in bound(node.child_by_field_name("left"), tree))
    elif node.type == "catch_clause":
        yield from ((name, "") for name in bound(node.child_by_field_name("parameter"), tree))


def bound(pattern: Node | None, tree: Tree) -> Iterator[str]:
    """The names that a pattern binds."""
    waiting = [] if pattern is None else [pattern]
    while waiting:
        node = waiting.pop()
        if node.type in _PATTERNS:
            yield tree.text(node)
        elif node.type in {"assignment_pattern", "object_assignment_pattern"}:
            waiting.extend(part for part in (node.child_by_field_name("left"),) if part is not None)
        elif node.type == "pair_pattern":
            waiting.extend(part for part in (node.child_by_field_name("value"),) if part is not None)
        elif node.type in {"required_parameter", "optional_parameter"}:
            waiting.extend(part for part in (node.child_by_field_name("pattern"),) if part is not None)
        elif node.type in {"array_pattern", "object_pattern", "rest_pattern"}:
            waiting.extend(reversed(node.named_children))


def own(node: Node, here: Here) -> Iterator[Edit]:
    """Awaiting, returns of arrows, strictness, chains that stop at nothing, and ways to walk."""
    if node.type == "call_expression":
        yield from _awaited(node, here)
    elif node.type == "await_expression" and shapes.parts(node):
        yield _edit(node, here.text(shapes.parts(node)[0]), "await", 0.02, "the value is used without waiting for it")
    elif node.type == "arrow_function":
        yield from _returned(node, here)
    elif node.type == "member_expression" and node.child_by_field_name("optional_chain") is None:
        owner, member = node.child_by_field_name("object"), node.child_by_field_name("property")
        if owner is not None and member is not None and owner.type not in {"this", "super"} and not _is_target(node):
            text = f"{here.text(owner)}?.{here.text(member)}"
            yield _edit(node, text, "null-check", 0.012, "what has the member may be nothing")
    elif node.type in {"for_in_statement", "binary_expression"}:
        yield from _signs(node, here)


def _signs(node: Node, here: Here) -> Iterator[Edit]:
    """Words and signs that differ by little."""
    if node.type == "for_in_statement":
        sign = node.child_by_field_name("operator")
        if sign is not None:
            other = "of" if here.text(sign) == "in" else "in"
            yield _edit(sign, other, "loop", 0.2 if other == "of" else 0.03, "keys and values are walked by two words")
    elif shapes.sign(node) in {"==", "!="}:
        sign = shapes.sign_of(node)
        if sign is not None:
            yield _edit(sign, f"{sign.type}=", "strict-equality", 0.08, "without converting types")
    elif shapes.sign(node) == "||":
        sign = shapes.sign_of(node)
        if sign is not None:
            yield _edit(sign, "??", "boolean", 0.04, "only nothing is replaced, not zero and empty text")


def _awaited(node: Node, here: Here) -> Iterator[Edit]:
    outside = node.parent is None or node.parent.type != "await_expression"
    head = here.tree.content[here.function.start_byte : here.function.start_byte + 200].lstrip()
    if outside and head.startswith((b"async", b"static async")):
        yield _edit(node, f"await {here.text(node)}", "await", 0.12, "the call gives a promise")
    called = node.child_by_field_name("function")
    if (
        called is not None
        and called.type == "member_expression"
        and here.text(called).endswith(".sort")
        and (not shapes.arguments(node))
    ):
        yield _edit(
            node,
            f"{here.text(called)}((a, b) => a - b)",
            "arguments",
            0.15,
            "numbers are sorted as text unless told how",
        )


def _returned(node: Node, here: Here) -> Iterator[Edit]:
    body = node.child_by_field_name("body")
    inner = shapes.statements(body) if body is not None and body.type == "statement_block" else []
    if inner and inner[-1].type == "expression_statement":
        yield _edit(
            inner[-1], f"return {here.text(inner[-1])}", "return", 0.12, "an arrow with braces gives nothing back"
        )


def _is_target(node: Node) -> bool:
    parent = node.parent
    return parent is not None and (parent.child_by_field_name("left") == node or parent.type == "update_expression")


def _edit(node: Node, text: str, name: str, prior: float, reason: str) -> Edit:
    return Edit(start=node.start_byte, end=node.end_byte, text=text, name=name, prior=prior, reason=reason)


TABLE = Table(
    name="javascript",
    title="JavaScript",
    package="tree_sitter_javascript",
    typed=False,
    equal=("===", "!=="),
    more_nulls=("undefined",),
    integers=frozenset({"number"}),
    floats=frozenset(),
    strings=frozenset({"string"}),
    bools=frozenset({"boolean"}),
    zeros={
        "int": ("0", "1"),
        "string": ('""',),
        "bool": ("false", "true"),
        "collection": ("[]",),
        "map": ("{}",),
        "": ("null", "[]", "0", "undefined", '""', "false"),
    },
    extremes=("Infinity", "-Infinity"),
    families=FAMILIES,
    bounds=("Math.max({0}, {1})", "Math.min({0}, {1})"),
    wrappers={
        "int": (
            "Math.abs({})",
            "Math.floor({})",
            "Math.ceil({})",
            "Math.round({})",
            "Math.trunc({})",
            "-{}",
            "Number({})",
            "String({})",
        ),
        "string": ("{}.trim()", "{}.toLowerCase()", "{}.toUpperCase()", "Number({})", '{}.split("")'),
        "collection": (
            "{}.slice()",
            "{}.reverse()",
            "[...{}]",
            "{}.length",
            "{}.sort((a, b) => a - b)",
            "{}.sort()",
            "[...new Set({})]",
            "{}.flat()",
            '{}.join("")',
        ),
        "": (
            "Math.abs({})",
            "String({})",
            "Number({})",
            "[...{}]",
            "Math.floor({})",
            "{}.toLowerCase()",
            "{}.trim()",
            "{}.slice()",
            "{}.length",
        ),
    },
    counts=frozenset(
        {
            "length",
            "size",
            "indexOf",
            "lastIndexOf",
            "charCodeAt",
            "floor",
            "ceil",
            "round",
            "trunc",
            "abs",
            "min",
            "max",
            "parseInt",
            "findIndex",
            "getTime",
            "now",
        }
    ),
    appends=("{0}.push({1});", "{0}.add({1});", "{0}.unshift({1});"),
    collections=frozenset({"collection"}),
    declares=declares,
    own=own,
    example="function f(a, b, xs) {{\n  {}\n}}\n",
)
