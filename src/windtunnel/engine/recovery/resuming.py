"""A long run as cycles, from the first that is not finished yet."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from windtunnel.engine.recovery.journal import Journal
from windtunnel.engine.recovery.records import Record

_SEED_BYTES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Cycle:
    """What one cycle has to work with; all of it is the same when the cycle is done again after a crash."""

    number: int
    seed: int
    """Of this cycle alone, made from that of the run and the number."""
    before: tuple[Record, ...]
    """What the finished cycles gave."""
    scratch: Path
    """Empty, and gone when the cycle is done."""


def resume(
    journal: Journal, step: Callable[[Cycle], Record], *, most_cycles: int,
    until: Callable[[Sequence[Record]], bool] = lambda _: False,
) -> tuple[Record, ...]:
    """Do what is left of a run; what all its cycles gave.

    A cycle counts when ``step`` has returned and its record is on the disk, and is begun anew otherwise. ``until`` is
    asked before each cycle whether enough is done; it decides by the records alone, so that it decides the same after a
    crash.
    """
    while journal.finished < most_cycles and not until(journal.records):
        number = journal.finished
        journal.append(step(Cycle(number=number, seed=seed_of(journal.head.seed, number), before=journal.records,
                                  scratch=journal.scratch())))
    return journal.records


def seed_of(seed: int, cycle: int) -> int:
    """The first 8 bytes of SHA-256 of ``seed:cycle``, so that a cycle done again meets the same chances."""
    return int.from_bytes(hashlib.sha256(f"{seed}:{cycle}".encode()).digest()[:_SEED_BYTES])
