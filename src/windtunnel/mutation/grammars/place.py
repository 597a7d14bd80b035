"""Where the walk stands, and what every operator is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

    from windtunnel.mutation.grammars.grammar import Grammar
    from windtunnel.mutation.grammars.source import Source

_MOST_STEPS = 200
"""Upward: a tower of brackets costs no more for each of its storeys."""


@dataclass(slots=True, kw_only=True)
class Place:
    """What an operator may ask besides its node."""

    source: Source
    path: list[tuple[Node, str]] = field(default_factory=list)
    """From the root down to the node itself: each with the name of the field that holds it."""
    names: list[str] = field(default_factory=list)
    """The parts of the qualified name here."""
    functions: list[Node] = field(default_factory=list)
    """Whose bodies hold this place, outermost first; those without a name as well."""
    types: dict[int, dict[str, str]] = field(default_factory=dict)
    """What ``declarations`` has found, by function."""
    free: tuple[int, int] = (0, 0)
    """Offsets between which no name gets a value, as was seen last."""
    looks: int = 300_000
    """How many nodes may still be looked at to see that: a long chain could be walked again for each of its parts."""
    uses: dict[int, object] = field(default_factory=dict)
    """What ``languages.uses`` has found, by function."""

    @property
    def grammar(self) -> Grammar:
        """The language."""
        return self.source.grammar

    @property
    def field(self) -> str:
        """The name of the parent's field that holds the node."""
        return self.path[-1][1]

    @property
    def function(self) -> Node | None:
        """The innermost function, also one without a name."""
        return self.functions[-1] if self.functions else None

    @property
    def name(self) -> str:
        """The qualified name here; empty outside of all functions."""
        return (self.grammar.separator.join(self.names) or "<anonymous>") if self.functions else ""

    def text(self, node: Node) -> str:
        """What stands there."""
        return self.source.text(node)

    def above(self, steps: int = 1) -> Node | None:
        """The parent, or what stands further up."""
        return self.path[-1 - steps][0] if len(self.path) > steps else None

    def kind_above(self, steps: int = 1) -> str:
        """The kind of that; empty above the root."""
        node = self.above(steps)
        return node.type if node is not None else ""

    def upward(self) -> Iterator[tuple[Node, str]]:
        """Ancestors, nearest first, up to the function that holds the place; each with its own field."""
        inside = self.function
        for node, name in self.path[-2:-2 - _MOST_STEPS:-1]:
            if inside is not None and node.id == inside.id:
                return
            yield node, name


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """One replacement, by offsets in the file."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A source and everything that the operator makes of it, in order; nothing for one to be left alone."""

    before: str
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """One family of defects."""

    name: str
    title: str
    """What it does, for people, in a few words."""
    propose: Callable[[Node, Place], Iterable[Proposal]]
    examples: Mapping[str, tuple[Example, ...]]
    """By language."""


def instead(node: Node, text: str) -> Proposal:
    """Another text for a node."""
    return Proposal(start=node.start_byte, end=node.end_byte, text=text)


def examples(*pairs: tuple[str, str], left: tuple[str, ...] = ()) -> tuple[Example, ...]:
    """Examples with one mutant each, and those to be left alone."""
    return (*(Example(before=before, after=(after,)) for before, after in pairs),
            *(Example(before=before) for before in left))
