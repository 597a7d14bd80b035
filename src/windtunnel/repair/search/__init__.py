"""Python search: when the program runs and is wrong, typed edits of its tree at suspicious statements, best first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from windtunnel.core.repair import Proposal, Scene
from windtunnel.repair.search.natural import naturalness
from windtunnel.repair.search.pair import paired
from windtunnel.repair.search.places import sites
from windtunnel.repair.search.queue import proposal, ranked
from windtunnel.repair.search.table import KINDS

__all__ = ["KINDS", "naturalness", "pairs", "search"]


def search(scene: Scene) -> Iterator[Proposal]:
    """Single edits, lazily; only files of ``scene.paths`` are touched, and what is left of them keeps its bytes."""
    for found in ranked(sites(scene), KINDS):
        yield proposal(found, found.edit.splices)


def pairs(scene: Scene) -> Iterator[Proposal]:
    """Two edits of one function at once, from the best few hundred single ones; for when no single edit did."""
    for first, second, score in paired(ranked(sites(scene), KINDS)):
        both = proposal(
            first,
            first.edit.splices + second.edit.splices,
            name=f"{first.kind.name}+{second.kind.name}",
            reason=f"{first.edit.explained()} {second.edit.explained()}",
        )
        yield replace(both, prior=min(1.0, score))
