"""What a search works with: the prepared project, what may be touched, the sources, and a bench for each base."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Sequence
from typing import Self

from windtunnel.core.ports import Rig
from windtunnel.core.repair import Proposal, Scene, Source
from windtunnel.engine.course import Event
from windtunnel.engine.fix.asked import Fix
from windtunnel.engine.fix.base import Base
from windtunnel.engine.fix.bench import Bench, Seen, TrialBench, look
from windtunnel.engine.fix.judge import Judge
from windtunnel.engine.fix.node import Node, scene_of
from windtunnel.engine.fix.places import Places, language_of
from windtunnel.engine.fix.tools import fixed_by_tools
from windtunnel.engine.fix.validate import Validator
from windtunnel.engine.fix.warm import WarmBench, fits, is_unexplained, observed, open_judge
from windtunnel.engine.trial import Prepared
from windtunnel.repair.order import Order
from windtunnel.repair.sources import proposals_for

_BEFORE_LATE = 200
"""Proposals that come before anybody is asked who takes long or costs money."""
_AGAIN = 6
"""Where a command fails and no test of it does, or the warm judge saw others fail: tests may fail at random."""


class Stage:
    """Makes a node of each base; ends what it started."""

    def __init__(
        self, rig: Rig, asked: Fix, ready: Prepared, *, order: Order, more: Sequence[Source] = (),
        late: Sequence[Source] = (), judge: Judge | None = None,
    ) -> None:
        """``more`` are sources beside those there are; ``late`` those that are asked when the first ones did not help.

        ``judge`` is one for the project as it is.
        """
        self._judge, self._late = judge, late
        self._rig, self._asked, self._ready, self._order = rig, asked, ready, order
        self._places = Places(allow=asked.allow, forbid=asked.forbid)
        self._more = (*asked.sources, *more)
        self._held = contextlib.ExitStack()

    def open(self, base: Base, earlier: Sequence[Base]) -> Node:
        """The state of a base, and what is proposed for it."""
        seen, bench = self._looked(base)
        language = language_of(seen.problems, tools=seen.tools, folder=base.folder)
        scene = scene_of(base, seen, self._places, language=language)
        allowed = frozenset(scene.paths)
        validator = Validator(base, may=allowed.__contains__, may_become=self._places.may_become, earlier=earlier)
        stream = proposals_for(scene, language, order=self._order, more=self._more, tell=self._note)
        return Node(base=base, seen=seen, bench=bench, validator=validator,
                    stream=validator(self._in_turn(stream, scene, base)))

    def _in_turn(self, stream: Iterator[Proposal], scene: Scene, base: Base) -> Iterator[Proposal]:
        """The likeliest, then those who take time or money to be asked, then the rest."""
        yield from itertools.islice(stream, _BEFORE_LATE)
        yield from fixed_by_tools(self._ready, base, scene)
        for source in self._late:
            yield from source(scene)
        yield from stream

    def _looked(self, base: Base) -> tuple[Seen, Bench]:
        asked, lint = self._asked, self._asked.counts_lint
        seen = look(self._ready, base, lint=lint)
        again = _AGAIN if is_unexplained(seen) else 0
        if fits(self._ready.checks, seen, lint=lint):
            judge = self._held.enter_context(self._taken(base))
            warm = observed(judge, seen, budget=asked.budget)
            if warm is not None:
                return warm, WarmBench(judge)
            judge.close()
            again = _AGAIN
        return seen, TrialBench(self._ready, base, lint=lint, jobs=asked.jobs, again=again)

    def _note(self, text: str) -> None:
        if self._asked.tell is not None:
            self._asked.tell(Event(kind="note", text=text))

    def _taken(self, base: Base) -> Judge:
        """The one that waits, for the project as it is; another one for each base."""
        judge, self._judge = (None, self._judge) if base.texts else (self._judge, None)
        return judge or open_judge(self._rig, self._asked, base)

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *failure: object) -> None:
        """End the warm judges."""
        self._held.close()

