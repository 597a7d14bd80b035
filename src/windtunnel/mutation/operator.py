"""What every operator is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import libcst as cst

from windtunnel.mutation.source import Source

FUNCTION_LIKE = (cst.FunctionDef, cst.ClassDef)


@dataclass(slots=True, kw_only=True)
class Place:
    """Where the walk stands: what an operator may ask besides its node."""

    source: Source
    ancestors: list[tuple[cst.CSTNode, str]] = field(default_factory=list)
    """From the module down: each node with the name of the field that leads on."""
    names: list[str] = field(default_factory=list)
    """The parts of the qualified name here."""
    functions: list[str] = field(default_factory=list)
    """Qualified names of the functions whose bodies hold this place, outermost first."""
    optional: dict[str, tuple[int, int]] = field(default_factory=dict)
    """For each function of the module: how many positions a call must fill, and how many it may."""

    @property
    def parent(self) -> cst.CSTNode:
        """The node above."""
        return self.ancestors[-1][0]

    @property
    def field(self) -> str:
        """The name of the parent's field that holds the node."""
        return self.ancestors[-1][1]

    def upward(self) -> Iterator[tuple[cst.CSTNode, str]]:
        """Ancestors with their fields, nearest first, up to the function or class that holds the place."""
        for node, name in reversed(self.ancestors):
            yield node, name
            if type(node) in FUNCTION_LIKE:
                return

    def within(self, *kinds: type[cst.CSTNode]) -> bool:
        """Whether a node of these kinds is above, no further than the function."""
        return any(isinstance(node, kinds) for node, _ in self.upward())


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """One replacement."""

    target: cst.CSTNode
    """The node whose text goes: the operator's own or one below it."""
    replacement: cst.CSTNode | str
    region: tuple[int, int] | None = None
    """Offsets in the text, where the target's own span is not what goes."""
    trim: bool = False
    """Whether words that are the same at both ends stay out of it."""


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
    nodes: tuple[type[cst.CSTNode], ...]
    propose: Callable[[cst.CSTNode, Place], Iterable[Proposal]]
    examples: tuple[Example, ...]


def changed(*pairs: tuple[str, str]) -> tuple[Example, ...]:
    """Examples with one mutant each."""
    return tuple(Example(before=before, after=(after,)) for before, after in pairs)


def untouched(*sources: str) -> tuple[Example, ...]:
    """Examples that are left alone."""
    return tuple(Example(before=source) for source in sources)
