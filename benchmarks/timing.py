"""Taking times fairly: in turns, so that whatever disturbs the machine disturbs all alike."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

Contender: TypeAlias = Callable[[], float]
"""Does its work once, checks the answer, and says how many seconds it took."""


class NotRun(Exception):
    """Something could not be measured; the message is the reason shown in the table."""


@dataclass(frozen=True, slots=True)
class Timing:
    """The seconds of each run of one contender."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def p99(self) -> float:
        """By nearest rank, so with fewer than a hundred runs it is the slowest one."""
        return sorted(self.seconds)[math.ceil(0.99 * len(self.seconds)) - 1]


def timed(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def interleaved(
    contenders: Mapping[str, Contender], *, runs: int, rest: Callable[[], object], together: int = 1,
) -> dict[str, Timing | NotRun]:
    """Each contender in turn, again and again; ``rest`` comes before each turn and is not counted.

    A turn is ``together`` runs without a pause. A contender that fails once is out, with its reason; the others go on.
    """
    taken: dict[str, list[float]] = {name: [] for name in contenders}
    failed: dict[str, NotRun] = {}
    for _ in range(math.ceil(runs / together)):
        for name, contender in contenders.items():
            if name not in failed:
                try:
                    rest()
                    taken[name] += [contender() for _ in range(together)]
                except Exception as error:  # noqa: BLE001 -- one that fails must not take the table with it
                    failed[name] = NotRun(reason(error))
    return {name: failed.get(name) or Timing(tuple(seconds)) for name, seconds in taken.items()}


def reason(error: BaseException) -> str:
    """One short line for the table."""
    said = " ".join(str(error).split()) or type(error).__name__
    return said if isinstance(error, NotRun) else f"{type(error).__name__}: {said}"[:200]
