"""What the watching harness in a sandbox is asked, and what it answers: read as hostile text, in bounds."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable

from windtunnel.core.limits import GIB
from windtunnel.core.section import Call, Covered
from windtunnel.sections.order import records, replay

PROGRAM = "windtunnel_section_cover.py"
"""The file of the harness that is started."""
CALL_SECONDS = 5.0
"""For one call, watched."""
MOST_FILES = 2000
_MOST_COUNT = 10_000_000
_COUNTS = ("lines", "lines_run", "branches", "branches_taken")
_MOST_WORDS = 200


def cover(
    calls: Iterable[Call], *, files: Collection[str], seed: int = 0, memory_bytes: int = GIB,
    whole_seconds: float = 600.0,
) -> bytes:
    """Make these calls once, and count what of these files runs; ``whole_seconds`` for all of it."""
    told = json.loads(replay(calls, seconds=CALL_SECONDS, seed=seed, memory_bytes=memory_bytes))
    return json.dumps({**told, "mode": "cover", "files": list(files)[:MOST_FILES],
                       "whole": 0.9 * whole_seconds}).encode("ascii")


def read_covered(report: bytes, *, files: Collection[str], ended: str = "") -> Covered:
    """The sum over the files that were asked for; ``ended`` is how the sandbox ended, where that is no good end."""
    wanted, sums, done, why = set(files), dict.fromkeys(_COUNTS, 0), False, ""
    for record in records(report):
        name = record.get("file")
        if isinstance(name, str) and name in wanted and (counts := _counts(record)):
            wanted.discard(name)
            sums = {each: sums[each] + counts[each] for each in _COUNTS}
        done = done or record.get("done") is True
        why = why or str(record.get("why") or "")[:_MOST_WORDS]
    if not done:
        return Covered(reason=f"watching the calls did not come to its end: {why or ended or 'nothing was told'}")
    if not sums["lines"]:
        return Covered(reason="no file has a line that can run")
    return Covered(lines=sums["lines"], lines_run=sums["lines_run"], branches=sums["branches"],
                   branches_taken=sums["branches_taken"])


def _counts(record: dict[str, object]) -> dict[str, int]:
    """Empty where they cannot be."""
    found = {name: record.get(name) for name in _COUNTS}
    sound = {name: one for name, one in found.items()
             if isinstance(one, int) and not isinstance(one, bool) and 0 <= one <= _MOST_COUNT}
    if len(sound) < len(_COUNTS) or sound["lines_run"] > sound["lines"]:
        return {}
    return sound if sound["branches_taken"] <= sound["branches"] else {}
