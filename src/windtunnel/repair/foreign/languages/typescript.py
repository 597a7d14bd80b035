"""TypeScript: JavaScript whose types are written down."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from windtunnel.repair.foreign import shapes
from windtunnel.repair.foreign.languages import javascript
from windtunnel.repair.foreign.table import Declared

if TYPE_CHECKING:
    from tree_sitter import Node

    from windtunnel.repair.foreign.tree import Tree


def declares(node: Node, tree: Tree) -> Iterable[Declared]:
    """As in JavaScript, with the annotation where there is one."""
    if node.type == "formal_parameters":
        for part in shapes.parts(node):
            yield from ((name, written(part, tree)) for name in javascript.bound(part, tree))
        return
    kind = written(node, tree) if node.type == "variable_declarator" else ""
    yield from ((name, kind or made) for name, made in javascript.declares(node, tree))


def written(node: Node, tree: Tree) -> str:
    """The annotation of a parameter or variable."""
    kind = node.child_by_field_name("type")
    return "" if kind is None else tree.text(kind).lstrip(": ").strip()


def result(function: Node, tree: Tree) -> str:
    """The annotation of what a function gives."""
    kind = function.child_by_field_name("return_type")
    return "" if kind is None else tree.text(kind).lstrip(": ").strip()


TABLE = replace(
    javascript.TABLE,
    name="typescript",
    title="TypeScript",
    package="tree_sitter_typescript",
    loader="language_typescript",
    declares=declares,
    result=result,
    zeros={**javascript.TABLE.zeros, "number": ("0", "1", "-1"), "boolean": ("false", "true")},
    wrappers={**javascript.TABLE.wrappers, "number": javascript.TABLE.wrappers["int"]},
    example="function f(a: number, b: number, xs: number[]) {{\n  {}\n}}\n",
)
WITH_ELEMENTS = replace(TABLE, loader="language_tsx")
