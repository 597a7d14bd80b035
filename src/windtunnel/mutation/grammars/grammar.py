"""What is known of one language: the names that its grammar gives to things."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

    from windtunnel.mutation.grammars.place import Place, Proposal
    from windtunnel.mutation.grammars.source import Source

Declared = tuple[str, str]
"""A name and its type as it is written; an empty type where it is not known."""


def _nothing_declared(_node: Node, _source: Source) -> Iterable[Declared]:
    return ()


def _nothing_left(_node: Node, _place: Place) -> bool:
    return False


def _all_admitted(_proposal: Proposal, _place: Place) -> bool:
    return True


def _no_zero(_function: Node, _source: Source) -> str:
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """A language, as a table of kinds of nodes."""

    name: str
    title: str
    """For people."""
    package: str
    """The Python package of the grammar."""
    loader: str = "language"
    """The function of the package that gives it."""
    typed: bool = True
    """Whether code whose types do not fit is refused."""
    separator: str = "."
    """Between the parts of a qualified name."""
    empty: str = ";"
    """A statement that does nothing."""
    kinds: Mapping[str, frozenset[str]]
    """By operator: the kinds of nodes that it is offered. An operator that is not here makes nothing."""
    functions: frozenset[str]
    containers: Mapping[str, str]
    """Kinds that have a name of their own and hold functions, with the field of the name."""
    comments: frozenset[str]
    numbers: frozenset[str]
    number_types: frozenset[str] = frozenset()
    texts: frozenset[str]
    """Kinds of strings."""
    text_types: frozenset[str] = frozenset()
    counts: frozenset[str] = frozenset()
    """Functions, methods and fields whose values are numbers."""
    calls: frozenset[str]
    blocks: frozenset[str]
    """Kinds whose children are statements, one after the other."""
    ends: frozenset[str]
    """Statements after which nothing of their block runs."""
    passed: frozenset[str]
    """Kinds that are never entered: types, imports and the like."""
    passed_fields: frozenset[tuple[str, str]] = frozenset()
    """The same for fields of kinds."""
    only: Mapping[str, str] = field(default_factory=dict)
    """Kinds of which only one field is entered."""
    declaring: frozenset[str] = frozenset()
    declares: Callable[[Node, Source], Iterable[Declared]] = _nothing_declared
    """The names that a node of these kinds declares."""
    leaves: Callable[[Node, Place], bool] = _nothing_left
    """Whether nothing at or below a node is mutated."""
    admits: Callable[[Proposal, Place], bool] = _all_admitted
    """Whether a replacement is likely to compile, as far as its surroundings show."""
    zero: Callable[[Node, Source], str] = _no_zero
    """Another value of what a function gives, ``!`` for the opposite; empty where none is sure to fit."""
    forced: str
    """A statement that fails at once, put before all others of a function."""
    forced_value: str = ""
    """The same where the body is an expression."""
    frame: str
    """What stands around the examples, with ``{}`` where they go."""
