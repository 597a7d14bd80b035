"""One state of the project that a fix is looked for from: the project as it is, or with edits that helped already."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from windtunnel.core.repair import Judgement, Proposal, Scene
from windtunnel.engine.fix.base import Base
from windtunnel.engine.fix.bench import Bench, Seen
from windtunnel.engine.fix.places import SUFFIXES, Places
from windtunnel.engine.fix.validate import Validator
from windtunnel.tamper import is_test

_MOST_TEST_FILES = 500


@dataclass(slots=True, kw_only=True, eq=False)
class Node:
    """A base with its stream of proposals and what came of them."""

    base: Base
    seen: Seen
    bench: Bench
    validator: Validator
    stream: Iterator[Proposal]
    waves: int = 0
    judged: int = 0
    done: bool = False
    """Whether nothing more is proposed."""
    partial: list[tuple[Proposal, Judgement]] = field(default_factory=list)
    """What made some tests pass, not all."""
    early: list[Proposal] = field(default_factory=list)
    """The first ones that come from the error itself and changed no test's end."""
    looked_later: bool = False

    def take(self, count: int) -> list[Proposal]:
        """The next proposals that are worth a test."""
        return list(itertools.islice(self.stream, count))

    def put_back(self, proposals: Iterable[Proposal]) -> None:
        """Those that were taken and not judged."""
        self.stream = itertools.chain(tuple(proposals), self.stream)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plausible:
    """A proposal that passes everything, with the base it was made for."""

    base: Base
    proposal: Proposal

    @property
    def result(self) -> Base:
        """The project with all of it."""
        return self.base.after(self.proposal)


def scene_of(base: Base, seen: Seen, places: Places, *, language: str) -> Scene:
    """What sources are shown."""
    tests = (path for suffix in SUFFIXES.get(language, ()) for path in base.folder.glob(f"**/*{suffix}")
             if is_test(path))
    return Scene(
        paths=places.among(base.folder, language), read=base.read, problems=seen.problems,
        suspicions=places.focus(seen.suspicions, base.original),
        test_paths=tuple(itertools.islice(tests, _MOST_TEST_FILES)), types=seen.types, packages=seen.packages)
