"""Does the order learn: at which place the right proposal stands, before and after outcomes of other faults.

Programs of the corpora are drawn with a fixed seed: from those that are learned from, each gives one outcome, the right
proposal as good and those that stood before it as bad; the others are never shown. A proposal is right when its tree is
that of the good program. Programs for which none of the first proposals is right count on neither side.
"""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from benchmarks import repair_spectrum
from benchmarks.ground import Ground
from benchmarks.repair_corpus import Fault, faults, test_file
from benchmarks.repair_outcomes import GROUP
from benchmarks.repair_syntax import same_tree
from benchmarks.rows import Row, Target
from benchmarks.timing import NotRun
from windtunnel.core.problem import Place, Problem, ProblemKind
from windtunnel.core.repair import Proposal, Scene, Suspicion
from windtunnel.repair.order import Order

_SEED = 7
_LOOKED_AT = 400
"""Proposals of each program."""
_UNSEEN = 46
_LEAST_FALL = 40.0
_TRACE_SECONDS = 600
Propose = Callable[[Scene], Iterator[Proposal]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """All that is proposed for one program, in no order yet."""

    name: str
    problem: Problem
    proposals: tuple[Proposal, ...]
    right: frozenset[str]
    """Keys of those that give the good program."""

    def rank(self, order: Order) -> int:
        """The place of the first right one, from one."""
        return 1 + next(place for place, one in enumerate(self.ranked(order)) if one.key in self.right)

    def ranked(self, order: Order) -> list[Proposal]:
        return sorted(self.proposals, key=lambda one: -order.score(one, self.problem))


def part_rows(ground: Ground, *, outcomes: int, propose: Propose | None = None) -> Iterator[Row]:
    """The median place on unseen programs, before and after."""
    every = [*faults("classic"), *faults("functions")]
    random.Random(_SEED).shuffle(every)
    unseen = min(_UNSEEN, outcomes)
    asked = propose or _source()
    given = [found for found in candidates(asked, every[:outcomes + unseen]) if found.right]
    names = {fault.name for fault in every[:outcomes]}
    shown = [one for one in given if one.name in names]
    others = [one for one in given if one.name not in names]
    if not shown or not others:
        raise NotRun("nothing right is proposed for these programs")
    order = Order.load(ground.folder / "order.json")
    before = [one.rank(order) for one in others]
    for one in shown:
        learn(order, one)
    after = [one.rank(order) for one in others]
    first, last = statistics.median(before), statistics.median(after)
    yield Row(group=GROUP, name="learning: place of the right proposal falls by", unit="%", of="value",
              value=100 * (first - last) / first, target=Target(limit=_LEAST_FALL, least=True),
              note=f"median place {first:g} before, {last:g} after {len(shown)} outcomes; mean "
                   f"{statistics.mean(before):.1f} and {statistics.mean(after):.1f}; {len(others)} unseen programs, "
                   f"{_LOOKED_AT} proposals of each at most")


def learn(order: Order, one: Candidates) -> None:
    """As a fix would: what was tried before the right one was bad."""
    for proposal in one.ranked(order):
        order.learn(proposal, one.problem, good=proposal.key in one.right)
        if proposal.key in one.right:
            return


def candidates(propose: Propose, those: Sequence[Fault]) -> Iterator[Candidates]:
    """Of each program what is proposed, with suspicions by the lines that its tests run."""
    for fault, found in zip(those, _spectra(those), strict=True):
        problem = _problem(fault)
        scene = _scene(fault, found, problem)
        proposals = {one.key: one for one in islice(propose(scene), _LOOKED_AT)}
        right = frozenset(key for key, one in proposals.items() if same_tree(one.edits[0].text, fault.good))
        yield Candidates(name=fault.name, problem=problem, proposals=tuple(proposals.values()), right=right)


def _spectra(those: Sequence[Fault]) -> list[list[tuple[bool, list[int]]]]:
    asked = "".join(json.dumps({"source": fault.broken, "tests": list(fault.tests)}) + "\n" for fault in those)
    done = subprocess.run([sys.executable, "-I", repair_spectrum.__file__], input=asked, capture_output=True, text=True,
                          timeout=_TRACE_SECONDS, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def _problem(fault: Fault) -> Problem:
    return Problem(kind=ProblemKind.ASSERTION, message="assert", name="AssertionError", tool="pytest",
                   language="python", place=Place(file=f"test_{fault.name}.py", line=5),
                   test=f"test_{fault.name}.py::test_{fault.name}_1")


def _scene(fault: Fault, found: list[tuple[bool, list[int]]], problem: Problem) -> Scene:
    path, tests = f"{fault.name}.py", f"test_{fault.name}.py"
    told = repair_spectrum.ochiai(found)
    suspicions = sorted((Suspicion(path=path, line=line, score=score, failing=failing, passing=passing)
                         for line, (score, failing, passing) in told.items()), key=lambda one: (-one.score, one.line))
    return Scene(paths=(path,), read={path: fault.broken, tests: test_file(fault)}.get, problems=(problem,),
                 suspicions=tuple(suspicions), test_paths=(tests,))


def _source() -> Propose:
    try:
        from windtunnel.repair.search import search  # noqa: PLC0415 -- who measures other groups does not load it
    except ImportError as error:
        raise NotRun("nothing here searches for fixes") from error
    return search
