"""Example folders in the shape of public starters, and whether an analysis tells them right.

A layout begins with ``=== NAME``; then come lines ``expect KIND: A, B`` and files, each begun by ``--- PATH``. What is
expected is all of it: a framework too many is as wrong as one too few.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from windtunnel.analysis.listing import listing_of
from windtunnel.analysis.parts import portions

KINDS = ("ecosystem", "manager", "frameworks", "tests")


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """One example folder."""

    name: str
    expected: Mapping[str, frozenset[str]]
    files: Mapping[str, str]


def read_layouts(text: str) -> tuple[Layout, ...]:
    """All layouts of a page."""
    return tuple(_layout(one) for one in text.split("\n=== ")[1:])


def _layout(text: str) -> Layout:
    head, *files = text.split("\n--- ")
    name, *lines = head.splitlines()
    expected = {}
    for line in lines:
        kind, _, words = line.removeprefix("expect ").partition(":")
        expected[kind] = frozenset(word.strip() for word in words.split(",") if word.strip())
    return Layout(name=name.strip(), expected=expected, files=dict(_files(files)))


def _files(texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    for text in texts:
        path, _, content = text.partition("\n")
        yield path.strip(), content


def told(layout: Layout) -> dict[str, frozenset[str]]:
    """What the analysis says of it."""
    parts = [one.part for one in portions(listing_of(layout.files))]
    return {
        "ecosystem": frozenset(part.ecosystem for part in parts), "manager": frozenset(part.manager for part in parts),
        "frameworks": frozenset(one.name for part in parts for one in part.frameworks),
        "tests": frozenset(one for part in parts for one in part.tests)}


def agreement(layout: Layout) -> bool:
    """Whether all that is expected, and nothing else, is told."""
    found = told(layout)
    return all(found[kind] == layout.expected.get(kind, frozenset()) for kind in KINDS)
