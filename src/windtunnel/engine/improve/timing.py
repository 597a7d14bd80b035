"""How long the workload takes before and after an edit: both at once, on one core, in a sandbox each.

The time is the processor's, user and system together, as the kernel counts it for the workload and all that it starts
and waits for. The two runs of a pair share a core, which the kernel hands from one to the other every few
milliseconds: so whatever slows the machine down slows both. (One after the other, two runs of the same code differ by a
tenth and more on a busy machine; sharing a core, by a few hundredths.) Which of the two is told to begin first is a
coin for each pair; so is which core. Short workloads run several times a pair.

Instructions are not counted: the sandbox's filter of system calls forbids ``perf_event_open``. What does not hold: the
script that reads the time shares its sandbox with the workload, so a hostile project can lie about its own speed.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from windtunnel.engine.improve.pacer import Pacer, Round, WorkloadFailed
from windtunnel.engine.improve.stand import Stand
from windtunnel.speedups.compare import Answer, Comparison, Standing, Terms

INSTRUCTIONS = "not available: the sandbox's filter of system calls forbids perf_event_open"
PAIR_SECONDS = 0.1
"""What each side of a pair should use, at least; shorter workloads run several times."""
_MOST_TIMES = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """A comparison that came to its end."""

    standing: Standing
    before_seconds: float
    """Of one run of the workload, the median; of the code before and of that after."""
    after_seconds: float


def compare(
    stand: Stand, before: Mapping[str, str], after: Mapping[str, str], *, seed: int, terms: Terms | None = None,
    going_on: Callable[[], bool] = lambda: True,
) -> Timed:
    """Pairs until it is decided; ``WorkloadFailed`` where a run fails or one side prints what the other does not.

    ``going_on`` is asked before each pair; where it says no, an undecided comparison stays undecided.
    """
    hash_seed = random.Random(seed).randrange(1, 2**32 - 1)  # noqa: S311 -- no secret
    with Pacer(stand, before, hash_seed=hash_seed) as old, Pacer(stand, after, hash_seed=hash_seed) as new:
        old.ready()
        new.ready()
        return decided(old, new, seed=seed, terms=terms, going_on=going_on)


def decided(
    old: Pacer, new: Pacer, *, seed: int, terms: Terms | None = None, going_on: Callable[[], bool] = lambda: True,
    pair_seconds: float = PAIR_SECONDS,
) -> Timed:
    """The same over two sides that are ready."""
    chosen = random.Random(seed + 1)  # noqa: S311 -- cores
    first = _pair(old, new, before_first=True, core=0, times=1)  # also fills caches, and is not counted
    times = max(1, min(_MOST_TIMES, math.ceil(pair_seconds / max(one.cpu_seconds for one in first))))
    comparison, taken = Comparison(terms, seed=seed), list[tuple[float, float]]()
    while comparison.standing.answer is Answer.MORE and going_on():
        pair = _pair(old, new, before_first=comparison.before_first(), core=chosen.randrange(1 << 16), times=times)
        taken.append((pair[0].cpu_seconds, pair[1].cpu_seconds))
        comparison.add(*taken[-1])
    medians = [sorted(column)[len(taken) // 2] / times for column in zip(*taken, strict=True)] or [0.0, 0.0]
    return Timed(standing=comparison.standing, before_seconds=medians[0], after_seconds=medians[1])


def _pair(old: Pacer, new: Pacer, *, before_first: bool, core: int, times: int) -> tuple[Round, Round]:
    for side in (old, new) if before_first else (new, old):
        side.go(core=core, times=times)
    before, after = old.round(times=times), new.round(times=times)
    if before.printed != after.printed:
        raise WorkloadFailed("the workload prints something else with the edit")
    return before, after
