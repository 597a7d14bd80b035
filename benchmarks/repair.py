"""Fixes: of programs with one known fault, how many are repaired, how many rightly, and how soon.

Every program, fault and check was written for this, without a look at what proposes fixes; none is taken from a
published collection. What is right is decided by what no visible test asks (see ``repair_outcomes``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from benchmarks import repair_errors, repair_foreign, repair_learning, repair_programs, repair_seeded, repair_syntax
from benchmarks.ground import FULL, Ground
from benchmarks.repair_outcomes import GROUP, Fix
from benchmarks.rows import Row
from benchmarks.timing import NotRun, reason

Part = Callable[[], Iterator[Row]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much of each part is measured; None for all."""

    programs: int | None
    errors: int | None
    """Of each language."""
    languages: tuple[str, ...]
    """Of the programs with errors."""
    foreign: int | None
    """Of each language other than Python, functions and held out errors; without any, no compiler is asked."""
    syntax: int | None
    seeded: int
    """Faults of all packages together; without any, the registry is not asked."""
    outcomes: int
    """After which it is asked how much was learned."""


_FULL = Size(programs=None, errors=None, languages=tuple(one.name for one in repair_errors.LANGUAGES), foreign=None,
             syntax=None, seeded=204, outcomes=200)
_SMALL = Size(programs=1, errors=1, languages=("python",), foreign=0, syntax=6, seeded=0, outcomes=10)
PARTS = ("classic", "functions", "error to diff", "other languages", "held out errors", "syntax errors",
         "seeded faults", "learning")


def size_of(ground: Ground) -> Size:
    return _FULL if ground.scale == FULL else _SMALL


def rows(ground: Ground) -> Iterator[Row]:
    """Part by part; a part that breaks is a row, and the others are measured."""
    with ground.tunnel() as tunnel:
        yield from _guarded(parts(ground, tunnel.fix, size=size_of(ground)), only=ground.repair_parts)


def parts(ground: Ground, fix: Fix, *, size: Size) -> Mapping[str, Part]:
    """What is measured, by name."""
    held = {
        "other languages": lambda: repair_foreign.part_rows(ground, fix, most=size.foreign),
        "held out errors": lambda: repair_errors.part_rows(
            ground, fix, most=size.foreign, only=size.languages, part="held out errors"),
    } if size.foreign != 0 else {}
    seeded = {"seeded faults": lambda: repair_seeded.part_rows(ground, fix, wanted=size.seeded)} if size.seeded else {}
    return {
        "classic": lambda: repair_programs.part_rows(ground, fix, part="classic", most=size.programs),
        "functions": lambda: repair_programs.part_rows(ground, fix, part="functions", most=size.programs),
        "error to diff": lambda: repair_errors.part_rows(ground, fix, most=size.errors, only=size.languages),
        **held,
        "syntax errors": lambda: repair_syntax.part_rows(most=size.syntax),
        **seeded,
        "learning": lambda: repair_learning.part_rows(ground, outcomes=size.outcomes),
    }


def _guarded(those: Mapping[str, Part], *, only: tuple[str, ...]) -> Iterator[Row]:
    chosen = [name for name in those if name in only] or list(those)
    for name in chosen:
        try:
            yield from those[name]()
        except NotRun as missing:
            yield Row(group=GROUP, name=name, missing=str(missing))
        except Exception as error:  # noqa: BLE001 -- shown as a row, and in the exit code
            yield Row(group=GROUP, name=name, missing=f"failed: {reason(error)}", failed=True)
