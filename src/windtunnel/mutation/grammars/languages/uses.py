"""Names that Go wants to be used: variables of functions, and imports."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from windtunnel.mutation.grammars.parts import parts

if TYPE_CHECKING:
    from tree_sitter import Node

    from windtunnel.mutation.grammars.place import Place
    from windtunnel.mutation.grammars.source import Source

_WORD = re.compile(r"[^\W\d]\w*")
_NAMES = frozenset({"identifier", "package_identifier"})
_FILE = 0


@dataclass(slots=True)
class _Names:
    """Of one function with all within it, or of the file."""

    needed: set[str] = field(default_factory=set)
    uses: dict[str, list[int]] = field(default_factory=dict)
    """Offsets, by name; where a name is only given a value is no use."""


def lost(place: Place, start: int, end: int, *, text: str) -> Iterator[str]:
    """The names that nobody would use any more if ``text`` stood between two offsets."""
    kept = set(_WORD.findall(text))
    words = set(_WORD.findall(place.source.content[start:end].decode())) - kept
    if not words:
        return
    for names in (_of_file(place), *((_of_function(place),) if place.functions else ())):
        for word in sorted(words & names.needed):
            if all(start <= at < end for at in names.uses.get(word, ())):
                yield word


def lost_variables(place: Place, start: int, end: int) -> list[str]:
    """The variables of them that a function declares; None of the imports."""
    names = _of_function(place)
    return [word for word in lost(place, start, end, text="") if word in names.needed]


def _of_file(place: Place) -> _Names:
    if _FILE not in place.uses:
        names = _collected(place.source.root, place.source)
        names.needed = set(_imports(place.source))
        place.uses[_FILE] = names
    found = place.uses[_FILE]
    assert isinstance(found, _Names)
    return found


def _of_function(place: Place) -> _Names:
    top = place.functions[0]
    if top.id not in place.uses:
        place.uses[top.id] = _collected(top, place.source)
    found = place.uses[top.id]
    assert isinstance(found, _Names)
    return found


def _collected(top: Node, source: Source) -> _Names:
    names, waiting = _Names(), [(top, False)]
    while waiting:
        node, given = waiting.pop()
        if node.type in _NAMES:
            if not given:
                names.uses.setdefault(source.text(node), []).append(node.start_byte)
            continue
        if node.type in {"short_var_declaration", "range_clause", "var_spec"}:
            names.needed.update(_declared(node, source))
        for at, child in enumerate(node.children):
            held = node.field_name_for_child(at) or ""
            waiting.append((child, _is_given(node, held, source) or (given and node.type == "expression_list")))
    return names


def _is_given(node: Node, held: str, source: Source) -> bool:
    """Whether a name that stands there alone gets a value and gives none."""
    if node.type in {"short_var_declaration", "range_clause"}:
        return held == "left"
    if node.type in {"var_spec", "parameter_declaration"}:
        return held == "name"
    operator = node.child_by_field_name("operator") if node.type == "assignment_statement" else None
    return held == "left" and operator is not None and source.text(operator) == "="


def _declared(node: Node, source: Source) -> Iterator[str]:
    left = node.child_by_field_name("left")
    found = parts(left) if left is not None else node.children_by_field_name("name")
    yield from (source.text(name) for name in found)


def _imports(source: Source) -> Iterator[str]:
    waiting = [child for child in source.root.children if child.type == "import_declaration"]
    while waiting:
        node = waiting.pop()
        if node.type != "import_spec":
            waiting.extend(node.named_children)
            continue
        name, path = node.child_by_field_name("name"), node.child_by_field_name("path")
        if name is not None:
            yield source.text(name)
        elif path is not None:
            yield source.text(path).strip('"`').rpartition("/")[2]
