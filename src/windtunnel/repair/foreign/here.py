"""A function under suspicion: its names, their types, and the values that stand in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from windtunnel.repair.foreign import shapes
from windtunnel.repair.foreign.table import Table
from windtunnel.repair.foreign.tree import Tree, below

if TYPE_CHECKING:
    from tree_sitter import Node

_BOXED = {
    "Integer": "int",
    "Long": "long",
    "Double": "double",
    "Float": "float",
    "Boolean": "boolean",
    "Character": "char",
}
MOST_NODES = 6000
"""Nodes of one function that are looked at."""
_SCOPES = (
    shapes.FUNCTIONS
    | shapes.BLOCKS
    | shapes.FORS
    | shapes.IFS
    | {"match_arm", "catch_clause", "class_body", "program", "source_file"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """A variable: where it can be used, and its type as it is written, or nothing where that is not known."""

    name: str
    type: str
    first: int
    last: int
    parameter: bool = False


@dataclass(slots=True, kw_only=True)
class Here:
    """What the edits of one function may know."""

    tree: Tree
    function: Node
    names: tuple[Name, ...]
    functions: dict[str, tuple[int, str]]
    """Of the file: how many parameters each has, and the type that it gives."""
    nodes: tuple[Node, ...] = field(repr=False)
    fields: dict[str, str]
    """Members that the file declares, with their types."""
    uses: Counter[str] = field(default_factory=Counter)
    guessed: dict[str, str] = field(default_factory=dict)
    """Types of names by how they are used, where nobody wrote them down."""
    unread: set[str] = field(default_factory=set)
    """Variables whose values nobody reads."""
    unchanged: set[str] = field(default_factory=set)
    """Variables that begin with a constant, or with nothing in them, and stay so."""

    @property
    def table(self) -> Table:
        """Of the file's language."""
        return self.tree.table

    def text(self, node: Node) -> str:
        """What stands there."""
        return self.tree.text(node)

    def visible(self, offset: int) -> Iterator[Name]:
        """The variables that can be used there, each name once, the nearest first."""
        told: set[str] = set()
        for one in sorted(self.names, key=lambda name: -name.first):
            if one.first <= offset < one.last and one.name not in told:
                told.add(one.name)
                yield one

    def type_of_name(self, name: str, offset: int) -> str:
        """Its type where it is known or can be guessed."""
        found = next((one.type for one in self.visible(offset) if one.name == name), "")
        return found or self.guessed.get(name, "")

    def result(self) -> str:
        """The type that the function gives."""
        return self.table.result(self.function, self.tree)

    def alike(self, left: str, right: str) -> bool:
        """Whether a value of one type may stand where the other does, as far as the text shows."""
        one, other = self.family(left), self.family(right)
        if not one or not other or one == other:
            return True
        return any(
            pair in {("int", True), ("float", True)}
            for pair in (
                (one, other in (self.table.integers if one == "int" else self.table.floats)),
                (other, one in (self.table.integers if other == "int" else self.table.floats)),
            )
        )

    def family(self, kind: str) -> str:
        """A coarse type: int, float, bool, string, collection; else nothing, or the type itself where it is exact."""
        head = kind.lstrip("&").removeprefix("mut ").strip()
        head = _BOXED.get(head, head) if self.table.name == "java" else head
        if head in {"int", "float", "bool", "string", "collection", "map", "function"}:
            return head
        table = self.table
        for name, kinds in (
            ("int", table.integers),
            ("float", table.floats),
            ("string", table.strings),
            ("bool", table.bools),
        ):
            if head in kinds:
                return name if not table.typed or kind in {"int", "float"} else head
        return head


def names_in(function: Node, tree: Tree) -> tuple[Name, ...]:
    """All that is declared in a function and around it, within the file."""
    found: list[Name] = []
    for node in _declaring(function, tree.root):
        for name, kind in tree.table.declares(node, tree):
            scope = node if node.type in _SCOPES else _scope(node)
            parameter = scope.type in shapes.FUNCTIONS
            found.append(
                Name(
                    name=name,
                    type=kind,
                    first=scope.start_byte if parameter or scope == node else node.end_byte,
                    last=scope.end_byte,
                    parameter=parameter,
                )
            )
    return tuple(found)


def _declaring(function: Node, root: Node) -> Iterator[Node]:
    """Nodes of the file's own level, of the functions around, and of the function itself."""
    yield from (
        node
        for child in root.named_children
        for node in (child, *child.named_children)
        if child.type not in shapes.FUNCTIONS
    )
    outermost, parent = function, function.parent
    while parent is not None:
        if parent.type in shapes.FUNCTIONS:
            outermost = parent
        parent = parent.parent
    for count, node in enumerate(below(outermost)):
        if count > MOST_NODES:
            return
        yield node


def _scope(node: Node) -> Node:
    step = node.parent
    while step is not None and step.type not in _SCOPES:
        step = step.parent
    return node if step is None else step


def functions_in(root: Node) -> Iterator[Node]:
    """Every function that has a body, the outer ones of each kind; small ones stay part of what is around them."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        inside_function = node.type in shapes.FUNCTIONS and field_body(node) is not None
        if inside_function:
            yield node
        waiting.extend(child for child in reversed(node.named_children) if not inside_function)


def field_body(function: Node) -> Node | None:
    """The body of a function."""
    return function.child_by_field_name("body")


def name_of(function: Node, tree: Tree) -> str:
    """Its own name, or that of the variable, field or key that it is given to."""
    own = function.child_by_field_name("name")
    if own is not None:
        return tree.text(own)
    parent = function.parent
    for _ in range(3):
        if parent is None:
            return ""
        named = next((found for key in ("name", "left", "key") if (found := parent.child_by_field_name(key))), None)
        if named is not None:
            return tree.text(named).rpartition(".")[2]
        parent = parent.parent
    return ""


def here_of(function: Node, tree: Tree) -> Here:
    """All that the edits of a function may know."""
    body = field_body(function) or function
    nodes: list[Node] = []
    waiting = [body]
    while waiting and len(nodes) < MOST_NODES:
        node = waiting.pop()
        if node.type in shapes.PASSED:
            continue
        nodes.append(node)
        waiting.extend(reversed(node.children))
    functions = {}
    for one in functions_in(tree.root):
        held = one.child_by_field_name("parameters")
        functions[name_of(one, tree)] = (
            len(shapes.parts(held)) if held is not None else 1,
            tree.table.result(one, tree),
        )
    functions.pop("", None)
    found = Here(
        tree=tree,
        function=function,
        names=names_in(function, tree),
        functions=functions,
        nodes=tuple(nodes),
        fields=_fields(tree),
    )
    found.uses.update(tree.text(node) for node in nodes if node.type in shapes.NAMES)
    if not tree.table.typed or tree.table.name == "rust":
        found.guessed.update(_guessed(found))
    return found


def _fields(tree: Tree) -> dict[str, str]:
    """Members of types that the file declares."""
    found: dict[str, str] = {}
    for count, node in enumerate(below(tree.root)):
        if count > MOST_NODES * 4:
            break
        if node.type in {"field_declaration", "public_field_definition", "property_signature"}:
            kind = node.child_by_field_name("type")
            for holder in (node, *node.children_by_field_name("declarator")):
                for name in holder.children_by_field_name("name"):
                    found[tree.text(name)] = tree.text(kind).lstrip(": ") if kind is not None else ""
    return found


def _guessed(here: Here) -> dict[str, str]:
    """By use: what is indexed or asked for its length is a collection, what is calculated with is a number."""
    found: dict[str, str] = {}
    for node in here.nodes:
        held = shapes.index_of(node)
        member = shapes.member_of(node)
        if held is not None and held[0].type == "identifier":
            found.setdefault(here.text(held[0]), "collection")
            if held[1].type == "identifier":
                found.setdefault(here.text(held[1]), "" if here.table.name == "javascript" else "int")
        elif (
            member is not None
            and member[0].type == "identifier"
            and here.text(member[1]) in {"length", "push", "len", "iter", "map", "filter", "slice"}
        ):
            found.setdefault(here.text(member[0]), "collection")
        elif node.type == "binary_expression" and shapes.sign(node) in {"-", "*", "/", "%", "<", "<=", ">", ">="}:
            for side in shapes.sides(node) or ():
                if side.type == "identifier":
                    found.setdefault(here.text(side), "int")
        elif node.type == "update_expression":
            found.update({here.text(part): "int" for part in shapes.parts(node) if part.type == "identifier"})
    return found
