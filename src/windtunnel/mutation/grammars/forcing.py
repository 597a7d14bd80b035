"""Functions that fail at once: tests that do not notice those would notice nothing."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from windtunnel.core.mutation import Mutant, identity
from windtunnel.mutation.grammars.candidates import described
from windtunnel.mutation.grammars.parts import parts
from windtunnel.mutation.grammars.pragmas import is_written_by_hand
from windtunnel.mutation.grammars.walk import places

if TYPE_CHECKING:
    from tree_sitter import Node

    from windtunnel.mutation.grammars.place import Place
    from windtunnel.mutation.grammars.source import Source

OPERATOR = "forced"
_FIRST = frozenset({"explicit_constructor_invocation", "inner_attribute_item"})
_BODIES = frozenset({"block", "statement_block", "constructor_body"})


def forced_failures(source: Source) -> list[Mutant]:
    """One for each function with a body, in the order of the text."""
    made: list[Mutant] = []
    equals: Counter[str] = Counter()
    if not is_written_by_hand(source):
        return made
    for node, place in places(source):
        if place.field != "body" or place.function is None or place.above() != place.function:
            continue
        edit = _edit(node, place)
        if edit is not None:
            equals[place.name] += 1
            made.append(_mutant(source, edit, name=place.name, ordinal=equals[place.name]))
    return made


def _edit(body: Node, place: Place) -> tuple[int, int, str] | None:
    grammar, function = place.grammar, place.function
    assert function is not None
    if body.type not in _BODIES:
        return (body.start_byte, body.end_byte, grammar.forced_value) if grammar.forced_value else None
    if _runs_elsewhere(function, place):
        return None
    at = body.children[0].end_byte
    for child in body.children[1:]:
        if child.type in _FIRST or _is_directive(child):
            at = child.end_byte
    return at, at, f" {grammar.forced}"


def _is_directive(node: Node) -> bool:
    return node.type == "expression_statement" and [child.type for child in parts(node)] == ["string"]


def _runs_elsewhere(function: Node, place: Place) -> bool:
    """Whether it runs when the code is compiled or loaded: nothing would be left to be noticed."""
    name = function.child_by_field_name("name")
    if place.grammar.name == "go":
        return function.type == "function_declaration" and name is not None and place.text(name) == "init"
    head = place.source.content[function.start_byte:name.start_byte].decode() if name is not None else ""
    return place.grammar.name == "rust" and (function.type == "closure_expression" or "const" in head.split())


def _mutant(source: Source, edit: tuple[int, int, str], *, name: str, ordinal: int) -> Mutant:
    start, end, text = edit
    (line, column), (end_line, end_column) = source.position(start), source.position(end)
    original = source.content[start:end].decode()
    return Mutant(
        id=identity(source.path, name, OPERATOR, original, text, ordinal=ordinal), path=source.path, operator=OPERATOR,
        line=line, column=column, end_line=end_line, end_column=end_column, original=original, replacement=text,
        start=start, end=end, function=name, scope="function", description=described(original, text))
