"""The types that names are declared with, as far as one file shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

    from windtunnel.mutation.grammars.place import Place

_OUTSIDE = 0


def declared(place: Place, name: str) -> str:
    """The type of a name as it is written, by the innermost function that declares it, else by the file; or nothing."""
    for function in reversed(place.functions):
        found = _of(place, function)
        if name in found:
            return found[name]
    return _of(place, None).get(name, "")


def is_local(place: Place, name: str) -> bool:
    """Whether a function around the place declares the name."""
    return any(name in _of(place, function) for function in place.functions)


def _of(place: Place, function: Node | None) -> dict[str, str]:
    key = _OUTSIDE if function is None else function.id
    if key not in place.types:
        place.types[key] = _collected(place, place.source.root if function is None else function)
    return place.types[key]


def _collected(place: Place, top: Node) -> dict[str, str]:
    """All that a function declares, those within it left out; a name with two types has none."""
    grammar, found = place.grammar, dict[str, str]()
    waiting = [top]
    while waiting:
        node = waiting.pop()
        if node.type in grammar.declaring:
            for name, kind in grammar.declares(node, place.source):
                found[name] = kind if found.get(name, kind) == kind else ""
        waiting.extend(child for child in node.children if child.child_count and child.type not in grammar.functions)
    return found
