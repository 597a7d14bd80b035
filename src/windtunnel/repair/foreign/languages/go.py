"""Go, where a variable that nobody uses is an error, and errors are values."""

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
    "int_literal": "int",
    "float_literal": "float64",
    "interpreted_string_literal": "string",
    "raw_string_literal": "string",
    "rune_literal": "rune",
    "true": "bool",
    "false": "bool",
}
_INTEGERS = frozenset(
    {"int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "byte", "rune"}
)


def declares(node: Node, tree: Tree) -> Iterable[Declared]:
    """Parameters, variables, constants and what a range binds."""
    if node.type in {"short_var_declaration", "range_clause"}:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        names = [tree.text(name) for name in shapes.parts(left)] if left is not None else []
        values = shapes.parts(right) if right is not None and right.type == "expression_list" else []
        for at, text in enumerate(names):
            ranged = "int" if node.type == "range_clause" and at == 0 and len(names) > 1 else ""
            if text != "_":
                yield text, _made(values[at], tree) if len(values) == len(names) else ranged
    elif node.type in {"parameter_declaration", "var_spec", "const_spec"}:
        kind, value = node.child_by_field_name("type"), node.child_by_field_name("value")
        values = shapes.parts(value) if value is not None else []
        made = _made(values[0], tree) if len(values) == 1 else ""
        for name in node.children_by_field_name("name"):
            yield tree.text(name), tree.text(kind) if kind is not None else made


def _made(value: Node, tree: Tree) -> str:
    if value.type == "call_expression":
        function, given = value.child_by_field_name("function"), shapes.arguments(value)
        name = tree.text(function) if function is not None else ""
        if name in {"len", "cap"}:
            return "int"
        if name == "make" and given:
            return tree.text(given[0])
        return name if name in _INTEGERS or name in {"string", "float64"} else ""
    if value.type == "composite_literal":
        kind = value.child_by_field_name("type")
        return tree.text(kind) if kind is not None else ""
    return _MADE.get(value.type, "")


def result(function: Node, tree: Tree) -> str:
    """The type that a function gives; several in their parentheses."""
    kind = function.child_by_field_name("result")
    return "" if kind is None else tree.text(kind)


def own(node: Node, here: Here) -> Iterator[Edit]:
    """Which of index and value a range gives, and errors that nobody looked at."""
    if node.type == "range_clause":
        yield from _ranged(node, here)
    elif node.type == "short_var_declaration" and here.tree.indent(node.start_byte) is not None:
        left = node.child_by_field_name("left")
        named = [here.text(part) for part in shapes.parts(left)] if left is not None else []
        following = here.tree.content[node.end_byte : node.end_byte + 60]
        if "err" in named and b"err != nil" not in following:
            yield from _checked(node, here)


def _ranged(node: Node, here: Here) -> Iterator[Edit]:
    left = node.child_by_field_name("left")
    names = shapes.parts(left) if left is not None else []
    if left is not None and len(names) == 1:
        yield _edit(left, f"_, {here.text(names[0])}", "loop", 0.2, "a range gives the index first, then the value")
    elif left is not None and len(names) == 2:  # noqa: PLR2004 -- index and value
        texts = [here.text(name) for name in names]
        yield _edit(left, f"{texts[1]}, {texts[0]}", "loop", 0.08, "a range gives the index first, then the value")
        if texts[0] == "_":
            yield _edit(left, texts[1], "loop", 0.1, "the index is meant, not the value")


def _checked(node: Node, here: Here) -> Iterator[Edit]:
    indent, kinds = here.tree.indent(node.start_byte) or "", here.result().strip("()").split(",")
    zeros = [here.table.zeros.get(kind.strip().rpartition(" ")[2], ("nil",))[0] for kind in kinds if kind.strip()]
    if zeros and "error" in kinds[-1]:
        given = ", ".join([*zeros[:-1], "err"])
        text = f"\n{indent}if err != nil {{\n{indent}\treturn {given}\n{indent}}}"
        yield Edit(
            start=node.end_byte,
            end=node.end_byte,
            text=text,
            name="error-check",
            prior=0.15,
            reason="the error was not looked at",
        )


def _edit(node: Node, text: str, name: str, prior: float, reason: str) -> Edit:
    return Edit(start=node.start_byte, end=node.end_byte, text=text, name=name, prior=prior, reason=reason)


TABLE = Table(
    name="go",
    title="Go",
    package="tree_sitter_go",
    strict=True,
    null="nil",
    braces="{}",
    end="",
    integers=_INTEGERS,
    floats=frozenset({"float64", "float32"}),
    strings=frozenset({"string"}),
    bools=frozenset({"bool"}),
    zeros={
        **dict.fromkeys(_INTEGERS, ("0", "1", "-1")),
        "float64": ("0", "1"),
        "string": ('""',),
        "bool": ("false", "true"),
        "error": ("nil",),
        "": ("nil",),
    },
    extremes=("math.MaxInt", "math.MinInt"),
    families=(
        ("min", "max"),
        ("Min", "Max"),
        ("Floor", "Ceil", "Round", "Trunc"),
        ("ToLower", "ToUpper"),
        ("HasPrefix", "HasSuffix", "Contains"),
        ("TrimLeft", "TrimRight", "Trim"),
        ("TrimPrefix", "TrimSuffix"),
        ("Index", "LastIndex"),
        ("Fields", "Split"),
        ("IsDigit", "IsLetter", "IsSpace"),
        ("IsUpper", "IsLower"),
        ("Ints", "Strings"),
        ("len", "cap"),
        ("Println", "Print"),
        ("Atoi", "ParseInt"),
        ("Lock", "Unlock"),
        ("Sin", "Cos"),
        ("Sqrt", "Cbrt"),
        ("Log", "Log2", "Log10"),
        ("Slice", "SliceStable"),
        ("After", "Before"),
    ),
    wrappers={
        "int": ("-{}", "abs({})"),
        "float64": ("math.Abs({})", "math.Floor({})", "math.Ceil({})", "math.Sqrt({})", "-{}"),
        "string": ("strings.ToLower({})", "strings.TrimSpace({})", "strings.ToUpper({})"),
        "rune": ("unicode.ToLower({})", "unicode.ToUpper({})"),
        "byte": ("int({})",),
    },
    counts=frozenset({"len", "cap", "Index", "LastIndex", "Count", "Atoi"}),
    appends=("{0} = append({0}, {1})",),
    collections=frozenset({"[]"}),
    declares=declares,
    result=result,
    own=own,
    example="package p\n\nfunc f(a, b int, xs []int) int {{\n\t{}\n}}\n",
)
