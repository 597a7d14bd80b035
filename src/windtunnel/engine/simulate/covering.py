"""Which lines and branches of a project's files the calls of its sections run, seen in a sandbox of their own.

They are made once more for it, since a call that is watched takes longer than one that is timed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from windtunnel.core.ports import Rig
from windtunnel.core.section import Call, Covered
from windtunnel.engine.simulate.calling import Place, limits_of, run_program
from windtunnel.sections.covered import PROGRAM, cover, read_covered


def cover_in(
    rig: Rig, place: Place, *, calls: Sequence[Call], files: Iterable[str], seed: int = 0,
) -> Covered:
    """Make these calls; what of these files they and the loading of their modules run."""
    if not calls:
        return Covered(reason="no call was there to be made")
    limits = limits_of(rig, place)
    chosen = sorted(set(files))
    order = cover(calls, files=chosen, seed=seed, memory_bytes=limits.memory_bytes * 3 // 4,
                  whole_seconds=limits.wall_seconds)
    report, result = run_program(rig, replace(place, limits=limits), program=PROGRAM, order=order, files={})
    return read_covered(report, files=chosen, ended=result.error_message or "")
