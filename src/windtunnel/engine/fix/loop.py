"""The search for a fix: proposals in waves to the tests, those that help kept as a new base, until all is green.

From each base proposals come best first; each wave is judged by the failing tests, and what passes them by all tests.
Proposals that mend other tests each are put together. What makes some pass and breaks none becomes a base of its own,
so that several faults are also mended one after the other; the bases share the time, those nearest to green getting
most of it. After the first proposal that passes the failing tests a few more are judged, since a better one may be
among them.
"""

from __future__ import annotations

import contextlib
import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from windtunnel.core.problem import Problem
from windtunnel.core.repair import Attempt, Judgement, Proposal
from windtunnel.engine.course import Event
from windtunnel.engine.fix import words
from windtunnel.engine.fix.base import Base
from windtunnel.engine.fix.combine import choices, combined
from windtunnel.engine.fix.journal import Journal
from windtunnel.engine.fix.node import Node, Plausible

FIRST_WAVE, LAST_WAVE = 24, 384
ENOUGH_GOOD = 5
"""Proposals that pass the failing tests after which a wave ends."""
_MOST_NODES = 12
_CHILDREN = 2
_SEVERAL, _MOST_COMBINED = 2, 12
"""Failing tests from which on proposals are put together; how many such sets a wave ends with."""
_MOST_ATTEMPTS_TOLD = 2000
_FEW_FAILING = 12
"""Failing tests that are all asked of each proposal: which of them it mends is worth more than the time that takes."""
_LATE = 0.4
"""The share of the time in which also what mends but some tests of one cause is built upon."""
_EARLY, _LIKELY = 2, 0.2
_OF_THE_ERROR = ("rule", "syntax", "tool", "model")
_STOPPING = frozenset({"syntax", "import", "name", "attribute", "argument", "type", "encoding", "dependency", "flow"})
"""Kinds of problems that hide what comes after them."""


@dataclass(slots=True, kw_only=True)
class Found:
    """What a search came to."""

    plausible: list[Plausible] = field(default_factory=list)
    best: Base | None = None
    """Where nothing passes everything: the base that fails least, if that is less than the project."""
    attempts: list[Attempt] = field(default_factory=list)
    tried: int = 0
    outcomes: list[tuple[Proposal, bool]] = field(default_factory=list)
    """For those who learn from it."""
    dropped: int = 0
    stopped: str = ""
    """Why it ended, in a few words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tried:
    """A proposal with its number and what the failing tests said."""

    proposal: Proposal
    number: int
    first: Judgement


class Loop:
    """One search; ``open_node`` makes a node of a base, or None where nothing fails any more."""

    def __init__(
        self, open_node: Callable[[Base, Sequence[Base]], Node], journal: Journal, *, seconds: float,
        attempts: int | None = None, tell: Callable[[Event], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Nothing is judged yet; the time begins now."""
        self._open, self._journal, self._clock = open_node, journal, clock
        self._seconds, self._until, self._most = seconds, clock() + seconds, attempts
        self._tell = tell or (lambda _: None)
        self._keys: set[str] = set()
        self._nodes: list[Node] = []
        self._after_good = 0
        self.found = Found()

    def run(self, base: Base) -> Found:
        """Look until something passes everything, or a limit is reached, or nothing is left to try."""
        self._nodes.append(self._open(base, ()))
        if not self.root.seen.failing:
            self.found.stopped = "what failed passes now and then with nothing changed"
            return self.found
        while not self._ended():
            node = min((one for one in self._nodes if not one.done), key=self._turn)
            self._wave(node)
            self._combine(node)
            self._branch(node)
        self.found.attempts.sort(key=lambda one: one.number)
        self.found.dropped = sum(sum(node.validator.dropped.values()) for node in self._nodes)
        self.found.best = self._nearest(base)
        return self.found

    @property
    def root(self) -> Node:
        """The project as it is."""
        return self._nodes[0]

    def _ended(self) -> bool:
        found = self.found
        if found.plausible:
            found.stopped = "a fix was found"
        elif self._left() <= 0:
            found.stopped = "the time is up"
        elif self._most is not None and found.tried >= self._most:
            found.stopped = "all attempts are used"
        elif all(node.done for node in self._nodes):
            found.stopped = "nothing more is proposed"
        return bool(found.stopped)

    def _turn(self, node: Node) -> tuple[float, int]:
        """Who is next: the fewer waves so far the sooner, and those nearer to green more often."""
        share = len(node.seen.failing) / max(1, len(self.root.seen.failing))
        return (node.waves + 1) * (share + 0.25), len(node.base.steps)

    def _left(self) -> float:
        return self._until - self._clock()

    def _wave(self, node: Node) -> None:
        size = min(FIRST_WAVE * 2**node.waves, LAST_WAVE)
        if self._most is not None:
            size = min(size, self._most - self.found.tried)
        wave = self._fresh(node, size)
        node.waves += 1
        if not wave:
            node.done = True
            return
        self._judge(node, wave)
        missing = node.bench.after_good - self._after_good
        if self.found.plausible and missing > 0 and len(self.found.plausible) < ENOUGH_GOOD and self._left() > 0:
            self._judge(node, self._fresh(node, missing if self._most is None else max(
                0, min(missing, self._most - self.found.tried))))

    def _fresh(self, node: Node, count: int) -> list[Proposal]:
        """The next proposals that nobody tried, from whatever base."""
        fresh: list[Proposal] = []
        while len(fresh) < count and (taken := node.take(count - len(fresh))):
            for proposal in taken:
                key = node.base.whole(proposal).key
                if key not in self._keys:
                    self._keys.add(key)
                    fresh.append(proposal)
        return fresh

    def _judge(self, node: Node, wave: Sequence[Proposal]) -> None:
        failing = node.seen.failing
        # Where failures differ, a proposal that mends one of them is told from others only by asking all.
        thorough = len(node.seen.groups) > 1 or len(failing) <= _FEW_FAILING
        good: list[_Tried] = []
        judged = 0
        for answer in self._soon(self._asked(
                node, wave, tests=failing, stop_first=not thorough, enough=ENOUGH_GOOD), most=node.bench.after_good):
            self.found.tried += 1
            tried = _Tried(proposal=wave[judged], number=self.found.tried, first=answer)
            judged += 1
            if answer.good:
                good.append(tried)
            else:
                self._note(node, tried, None)
        self._keys -= {node.base.whole(proposal).key for proposal in wave[judged:]}
        node.put_back(wave[judged:])
        every = tuple(dict.fromkeys((*failing, *node.seen.passing)))
        answers = self._asked(node, [one.proposal for one in good], tests=every, stop_first=True, enough=None)
        for tried, whole in itertools.zip_longest(good, answers):
            self._note(node, tried, whole)

    def _soon(self, answers: Iterator[Judgement], *, most: int) -> Iterator[Judgement]:
        """Until enough came after a good one."""
        with contextlib.closing(answers):  # type: ignore[type-var]  # a generator, which stops those under way
            good = False
            self._after_good = 0
            for answer in answers:
                self._after_good += good
                good = good or answer.good
                yield answer
                if self._after_good >= most:
                    return

    def _asked(
        self, node: Node, wave: Sequence[Proposal], *, tests: Sequence[str], stop_first: bool, enough: int | None,
    ) -> Iterator[Judgement]:
        """Judgements in the order of the wave: those written down before, then those made now and written down."""
        left, good = list(wave), 0
        while left and (known := self._journal.get(node.base.whole(left[0]).key, tests)) is not None:
            left.pop(0)
            good += known.good
            yield known
            if enough is not None and good >= enough:
                return
        if not left:
            return
        for judgement in node.bench.judge(
                [node.base.whole(proposal) for proposal in left], tests=tests, stop_at_first_failure=stop_first,
                stop_after_good=None if enough is None else enough - good, seconds=max(self._left(), 1.0)):
            self._journal.add(judgement, tests)
            yield judgement

    def _note(self, node: Node, tried: _Tried, whole: Judgement | None) -> None:
        found, failing, proposal, first = self.found, node.seen.failing, tried.proposal, tried.first
        node.judged += 1
        told = words.outcome(first, whole, failing=failing)
        row = words.attempt(proposal, number=tried.number, outcome=told,
                            seconds=first.seconds + (whole.seconds if whole else 0.0))
        if len(found.attempts) < _MOST_ATTEMPTS_TOLD or told == "fixes all":
            found.attempts.append(row)
        self._tell(Event(kind="attempt", text=f"{row.place}: {row.reason}", status=told, side=str(row.number)))
        found.outcomes.append((proposal, whole is not None and whole.good))
        if whole is not None and whole.good:
            found.plausible.append(Plausible(base=node.base, proposal=proposal))
        elif whole is None and progress(first, node):
            node.partial.append((proposal, first))
        elif not first.passed and proposal.origin in _OF_THE_ERROR and proposal.prior >= _LIKELY and (
                len(node.early) < _EARLY):
            node.early.append(proposal)

    def _combine(self, node: Node) -> None:
        """What mends some tests each, put together, where that may mend all."""
        if self.found.plausible or self._left() <= 0 or len(node.seen.failing) < _SEVERAL:
            return
        sets = choices(node.seen.failing, node.partial, harmless=lambda one: self._breaks_nothing(node, one))
        made = (one for several in sets if (one := combined(several, node.base.read)) is not None)
        fresh = [one for one in itertools.islice(made, _MOST_COMBINED) if node.base.whole(one).key not in self._keys]
        self._keys |= {node.base.whole(one).key for one in fresh}
        if fresh:
            self._judge(node, fresh)

    def _branch(self, node: Node) -> None:
        """Bases of what helped; where nothing did, of what made a test fail later than it did."""
        if self.found.plausible or self._left() <= 0 or len(self._nodes) >= _MOST_NODES:
            return
        kept = [pair for pair in node.partial if self._worth_branching(node, pair[1])]
        node.partial = [pair for pair in node.partial if pair not in kept]
        for proposal, _ in sorted(kept, key=lambda pair: -len(pair[1].passed))[:_CHILDREN]:
            if self._breaks_nothing(node, proposal):
                self._add(node, proposal)
        if not node.looked_later and self._nodes[-1] is node and (node.done or node.waves > 1) and _stops_early(node):
            node.looked_later = True
            for proposal in node.early:
                self._add_later(node, proposal)

    def _worth_branching(self, node: Node, first: Judgement) -> bool:
        """At once where all tests with one cause are mended; else late, since some pass by chance."""
        whole = len(node.seen.groups) > 1 and any(group <= first.passed for group in node.seen.groups)
        return whole or node.done or self._left() < self._seconds * _LATE

    def _breaks_nothing(self, node: Node, proposal: Proposal) -> bool:
        passing = node.seen.passing
        return not passing or all(answer.good for answer in self._asked(
            node, [proposal], tests=passing, stop_first=True, enough=None))

    def _add(self, node: Node, proposal: Proposal) -> None:
        child = self._open(node.base.after(proposal), (*self._line(node), node.base))
        self._keep(node, proposal, child)
        self._tell(Event(kind="note", text=f"kept: {proposal.reason}"))

    def _keep(self, node: Node, proposal: Proposal, child: Node) -> None:
        if child.seen.failing:
            self._nodes.append(child)
        else:
            self.found.plausible.append(Plausible(base=node.base, proposal=proposal))

    def _add_later(self, node: Node, proposal: Proposal) -> None:
        """One that changed no test's end: kept where what is wrong now is another thing, and nothing passes less."""
        if self._left() <= 0 or len(self._nodes) >= _MOST_NODES or not node.seen.problems:
            return
        child = self._open(node.base.after(proposal), (*self._line(node), node.base))
        if later(node.seen.problems, child.seen.problems) and set(node.seen.passing) <= set(child.seen.passing):
            self._keep(node, proposal, child)
            self._tell(Event(kind="note", text=f"kept, since it fails later now: {proposal.reason}"))

    def _line(self, node: Node) -> tuple[Base, ...]:
        """The bases that a node came from."""
        steps = node.base.steps
        return tuple(one.base for one in self._nodes if len(one.base.steps) < len(steps)
                     and one.base.steps == steps[:len(one.base.steps)])

    def _nearest(self, base: Base) -> Base | None:
        better = [node for node in self._nodes[1:] if len(node.seen.failing) < len(self.root.seen.failing)
                  and set(self.root.seen.passing) <= set(node.seen.passing)]
        best = min(better, key=lambda node: (len(node.seen.failing), len(node.base.steps)), default=None)
        return None if best is None or best.base is base else best.base


def _stops_early(node: Node) -> bool:
    return bool(node.seen.problems) and node.seen.problems[0].kind in _STOPPING


def progress(first: Judgement, node: Node) -> bool:
    """Whether some failing tests pass now, and none that passed fails."""
    return bool(first.passed & frozenset(node.seen.failing)) and not first.error and not (
        first.failed & frozenset(node.seen.passing))


def later(before: Sequence[Problem], after: Sequence[Problem]) -> bool:
    """Whether the first problem is gone, and those there are now were not there, or further on."""
    if not before or not after:
        return bool(before)
    gone = before[0].fingerprint not in {problem.fingerprint for problem in after}
    worse = after[0].kind in ("syntax", "import") and before[0].kind not in ("syntax", "import")
    return gone and not worse and not _earlier(before[0], after[0])


def _earlier(before: Problem, after: Problem) -> bool:
    """Whether a fault of the same kind in the same file moved up."""
    if before.place is None or after.place is None or before.place.file != after.place.file:
        return False
    return before.kind == after.kind and (after.place.line or 0) < (before.place.line or 0)
