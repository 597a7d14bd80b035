"""What is known of one language beyond the shapes that its grammar shares with the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

    from windtunnel.repair.foreign.edit import Edit
    from windtunnel.repair.foreign.here import Here
    from windtunnel.repair.foreign.tree import Tree

Declared = tuple[str, str]
"""A name and its type as it is written; an empty type where it is not known."""


def _nothing(_node: Node, _here: Here) -> Iterable[Edit]:
    return ()


def _no_result(_function: Node, _tree: Tree) -> str:
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A language, as words and signs."""

    name: str
    title: str
    """For people."""
    package: str
    """The Python package of the grammar."""
    loader: str = "language"
    typed: bool = True
    """Whether code whose types do not fit is refused."""
    strict: bool = False
    """Whether a variable that nobody uses is refused."""
    equal: tuple[str, str] = ("==", "!=")
    null: str = "null"
    """The word for nothing; empty where the language has none."""
    more_nulls: tuple[str, ...] = ()
    """Other words for nothing."""
    braces: str = "({})"
    """How a condition stands after ``if``."""
    end: str = ";"
    """After a statement."""
    integers: frozenset[str] = frozenset()
    """Types of whole numbers."""
    floats: frozenset[str] = frozenset()
    strings: frozenset[str] = frozenset()
    bools: frozenset[str] = frozenset()
    zeros: Mapping[str, tuple[str, ...]]
    """By type, or by its head before ``<`` or ``[``: what a function gives where there is nothing to do."""
    extremes: tuple[str, ...] = ()
    """The largest and smallest numbers, as they are written."""
    families: tuple[tuple[str, ...], ...] = ()
    """Functions and methods that take each other's places."""
    wrappers: Mapping[str, tuple[str, ...]]
    """By type of a value: calls around it that give the same type, with ``{}`` for the value."""
    counts: frozenset[str] = frozenset()
    """Functions, methods and fields whose values are whole numbers."""
    bounds: tuple[str, ...] = ()
    """The larger and the smaller of ``{0}`` and ``{1}``."""
    appends: tuple[str, ...] = ()
    """Statements that put ``{1}`` into the collection ``{0}``."""
    collections: frozenset[str] = frozenset()
    """Heads of types that can be put into."""
    declares: Callable[[Node, Tree], Iterable[Declared]]
    """The names that a node declares."""
    result: Callable[[Node, Tree], str] = _no_result
    """The type that a function gives, as it is written."""
    own: Callable[[Node, Here], Iterable[Edit]] = _nothing
    """Edits that only this language has."""
    example: str
    """A frame for examples of edits, with ``{}`` where statements go."""

    @property
    def nulls(self) -> tuple[str, ...]:
        """All words for nothing."""
        return (self.null, *self.more_nulls) if self.null else ()
