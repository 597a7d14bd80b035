"""One walk over a tree that shows every node that may be mutated, outermost first.

By a cursor and lists of our own: however a file is nested, nothing here calls itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from windtunnel.mutation.grammars.arid import is_left_alone
from windtunnel.mutation.grammars.parts import first
from windtunnel.mutation.grammars.place import Place

if TYPE_CHECKING:
    from tree_sitter import Node, TreeCursor

    from windtunnel.mutation.grammars.source import Source

_NAMED_BY = {"variable_declarator": "name", "pair": "key", "assignment_expression": "left",
             "field_definition": "property", "public_field_definition": "name"}
"""What stands around a function that has no name of its own, and gives it one."""
_HOISTED = "function_declaration"


def places(source: Source, *, everything: bool = False) -> Iterator[tuple[Node, Place]]:
    """Each node with the place it has; the place is the same object, and moves on. Or also what is left alone."""
    walk = _Walk(source, everything=everything)
    while True:
        node = walk.enter()
        if node is not None:
            yield node, walk.place
        if not walk.move(down=node is not None):
            return


class _Walk:
    def __init__(self, source: Source, *, everything: bool) -> None:
        self._cursor: TreeCursor = source.root.walk()
        self._everything = everything
        self.place = Place(source=source, path=[(source.root, "")])
        self._undo: list[tuple[int, int]] = []
        """For each level: how many names and functions there were above it."""
        self._ended: list[bool] = [False]
        """For each level: whether what comes now is ever reached."""

    def enter(self) -> Node | None:
        """The node here, if it is to be looked at, with all below it."""
        node = self.place.path[-1][0]
        if self._everything:
            return node
        grammar, (_, held) = self.place.grammar, self.place.path[-1]
        kind = node.type
        if not node.is_named or kind in grammar.passed or kind in grammar.comments:
            return None
        parent = self.place.kind_above()
        if (parent, held) in grammar.passed_fields or held != grammar.only.get(parent, held):
            return None
        if self._ended[-1] and kind != _HOISTED:
            return None
        return None if is_left_alone(node, self.place) else node

    def move(self, *, down: bool) -> bool:
        """To the next node; False after the last."""
        place = self.place
        self._note_end()
        if down and self._cursor.goto_first_child():
            self._undo.append((len(place.names), len(place.functions)))
            self._ended.append(False)
            self._step()
            return True
        while not self._cursor.goto_next_sibling():
            if not self._cursor.goto_parent():
                return False
            place.path.pop()
            self._ended.pop()
            self._restore(self._undo.pop())
        self._restore(self._undo[-1])
        place.path.pop()
        self._step()
        return True

    def _restore(self, before: tuple[int, int]) -> None:
        del self.place.names[before[0]:]
        del self.place.functions[before[1]:]

    def _step(self) -> None:
        """Take up the node that the cursor came to, inside its function or class where it is the body of one."""
        place, node = self.place, self._cursor.node
        assert node is not None
        place.path.append((node, self._cursor.field_name or ""))
        parent = place.above()
        if parent is None or place.field != "body":
            return
        if parent.type in place.grammar.functions:
            place.functions.append(parent)
            place.names.extend(_names(parent, place))
        elif parent.type in place.grammar.containers:
            place.names.extend(_named(parent, place.grammar.containers[parent.type], place))

    def _note_end(self) -> None:
        """Whether nothing runs after this statement of its block."""
        place = self.place
        node = place.path[-1][0]
        if place.kind_above() not in place.grammar.blocks:
            return
        inner = (first(node) if node.type == "expression_statement" else None) or node
        if inner.type in place.grammar.ends or node.type in place.grammar.ends:
            self._ended[-1] = True


def _names(function: Node, place: Place) -> list[str]:
    receiver = function.child_by_field_name("receiver")
    own = _named(function, "name", place)
    if receiver is not None:
        kind = place.text(receiver).strip("()").split()[-1:]
        return [*(name.lstrip("*").partition("[")[0] for name in kind), *own]
    holder = place.above(2)
    if own or holder is None or holder.type not in _NAMED_BY:
        return own
    return _named(holder, _NAMED_BY[holder.type], place)


def _named(node: Node, name: str, place: Place) -> list[str]:
    found = node.child_by_field_name(name)
    return [" ".join(place.text(found).split())[:100]] if found is not None else []
