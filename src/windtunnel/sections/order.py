"""What the harness in a sandbox is asked, and what it answers: read as hostile text, strictly and in bounds."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from windtunnel.core.errors import UsageError
from windtunnel.core.limits import GIB
from windtunnel.core.section import MOST_TEXT, Call, Called, Ended, Ending, Section, Stubs

PROGRAM = "windtunnel_section.py"
"""The file of the harness that is started."""
MOST_REPORT = 64 * 1024**2
_MOST_ENDS, _MOST_SLOTS, _MOST_WORDS, _MOST_PROBE = 10_000, 64, 400, 64 * 1024
_MOST_CALLS, _MOST_SECONDS, _MOST_REPEATS, _MOST_JOBS = 1000, 3600.0, 10_000, 64
_MOST_REMARKS = 50
IMPORT_SECONDS = 10.0
"""That one module may take to load, above the time of a call."""
Record = Mapping[str, object]


@cache
def harness() -> Mapping[str, bytes]:
    """Files to lay into /sandbox; those of ``mutation.suggest_targets.scripts`` must lie beside them."""
    folder = Path(__file__).parent / "inside"
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.py"))}


def explore(
    sections: Sequence[Section], *, seed: int = 0, calls: int = 8, seconds: float = 2.0, hostile: int = 0,
    stubs: Stubs | None = None, recorded: Mapping[str, Sequence[Call]] | None = None, jobs: int = 1,
    memory_bytes: int = GIB, import_seconds: float = IMPORT_SECONDS,
) -> bytes:
    """Find inputs: at most ``calls`` of each section, ``hostile`` of a hundred made to hurt; ``seconds`` for each.

    Those are of the processor, so that a busy machine finds the same, and at most eight times as many of the clock.
    A section's process may grow by ``memory_bytes``.
    ``recorded`` are calls of earlier runs by the section's id, which are tried first.
    """
    _check(calls=(calls, _MOST_CALLS), seconds=(seconds, _MOST_SECONDS), jobs=(jobs, _MOST_JOBS))
    if not 0 <= hostile <= 100:  # noqa: PLR2004 -- of a hundred
        raise UsageError(f"hostile: {hostile} is not between 0 and 100", field="hostile")
    given = stubs or Stubs()
    told = {"everywhere": list(map(dict, given.everywhere)),
            "by_section": {name: list(map(dict, some)) for name, some in given.by_section.items()}}
    return _order({
        "mode": "explore", "seed": seed, "calls": calls, "seconds": seconds, "hostile": hostile, "jobs": jobs,
        "memory": memory_bytes, "import_seconds": import_seconds,
        "sections": [_row(section) for section in sections], "stubs": told, "plugins": sorted(given.plugins),
        "recorded": {name: [_inputs(call) for call in some] for name, some in (recorded or {}).items()}})


def replay(
    calls: Iterable[Call], *, faults: Mapping[str, object] | None = None, seconds: float = 5.0, repeats: int = 1,
    seed: int = 0, jobs: int = 1, memory_bytes: int = GIB, import_seconds: float = IMPORT_SECONDS,
) -> bytes:
    """Make these calls again, ``repeats`` times over; each may take ``seconds``, and ``faults`` are around each.

    A section's process may grow by ``memory_bytes``; it gets a ``MemoryError`` for more.
    """
    _check(seconds=(seconds, _MOST_SECONDS), repeats=(repeats, _MOST_REPEATS), jobs=(jobs, _MOST_JOBS))
    rows: dict[str, dict[str, object]] = {}
    texts: dict[str, list[object]] = {}
    for call in calls:
        rows.setdefault(call.section.id, _row(call.section))
        texts.setdefault(call.section.id, []).append(_inputs(call))
    return _order({
        "mode": "replay", "seed": seed, "seconds": seconds, "repeats": repeats, "jobs": jobs,
        "memory": memory_bytes, "import_seconds": import_seconds,
        "faults": dict(faults or {}), "sections": [{**row, "calls": texts[name]} for name, row in rows.items()]})


def _check(**given: tuple[float, float]) -> None:
    for name, (value, most) in given.items():
        if not 0 < value <= most:
            raise UsageError(f"{name}: {value} is not above 0 and at most {most:g}", field=name)


def _order(told: Mapping[str, object]) -> bytes:
    try:
        return json.dumps(told).encode("ascii")
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"stubs: not plain values: {error}"[:300], field="stubs") from None


def _row(section: Section) -> dict[str, object]:
    return {"id": section.id, "path": section.path, "module": section.module, "root": section.root,
            "name": section.name, "kind": str(section.kind)}


def _inputs(call: Call) -> list[list[str]]:
    return [*([[".", call.receiver]] if call.receiver else []), *([slot, text] for slot, text in call.arguments)]


def read(report: bytes, sections: Iterable[Section], *, calls: Iterable[Call] = ()) -> tuple[Called, ...]:
    """One for each section, in their order; ``calls`` are those of a replay.

    Whatever is not as the harness writes it is left out, and a section of which nothing is left says so.
    """
    by_section: dict[str, list[Call]] = {}
    for call in calls:
        by_section.setdefault(call.section.id, []).append(call)
    known = {section.id: section for section in sections}
    found: dict[str, Called] = {}
    for record in records(report):
        name = record.get("id")
        section = known.get(name) if isinstance(name, str) else None
        if section is not None and section.id not in found:
            found[section.id] = _called(section, record, by_section.get(section.id, []))
    return tuple(found.get(name) or Called(section=section, failed="nothing was told of it")
                 for name, section in known.items())


def probe_of(report: bytes) -> Mapping[str, object]:
    """What the faults of a replay were measured to do; empty where nothing was."""
    for record in records(report):
        told = record.get("probe")
        if isinstance(told, dict) and len(json.dumps(told)) <= _MOST_PROBE:
            return told
    return {}


def is_whole(report: bytes) -> bool:
    """Whether the harness came to its end."""
    return any(record.get("done") is True for record in records(report))


def told_of(report: bytes) -> frozenset[str]:
    """The ids of sections that are over."""
    return frozenset(name for record in records(report) if isinstance(name := record.get("id"), str))


def under_way(report: bytes) -> frozenset[str]:
    """The ids of sections that had begun, or whose module was being loaded, when nothing more was heard."""
    found: list[object] = []
    for record in records(report):
        told = record.get("under_way")
        found = told if isinstance(told, list) else found
    return frozenset(name for name in found if isinstance(name, str)) - told_of(report)


def records(report: bytes) -> Iterable[dict[str, object]]:
    """The lines of a report that are tables; the rest is left out."""
    for line in report[:MOST_REPORT].split(b"\n"):
        try:
            record = json.loads(line) if line else None
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            yield record


def _called(section: Section, record: Record, calls: Sequence[Call]) -> Called:
    failed, kept, ends = record.get("failed"), record.get("kept"), record.get("ends")
    if isinstance(failed, str):
        return Called(section=section, failed=_words(failed) or "it could not be called")
    made = [_kept(section, one) for one in kept[:_MOST_ENDS] if isinstance(one, dict)] if isinstance(kept, list) else []
    made += [_again(one, calls) for one in ends[:_MOST_ENDS] if isinstance(one, dict)] if isinstance(ends, list) else []
    found = tuple(end for end in made if end is not None)
    reason = "" if found else _words(record.get("note")) or "no inputs were found for it"
    return Called(section=section, ends=found, failed=reason, tries=_whole(record.get("tries")),
                  lines_run=_whole(record.get("lines_run")), lines=_whole(record.get("lines")),
                  remarks=_remarks(record.get("remarks")), unfit=_unfit(record.get("unfit")))


def _remarks(told: object) -> tuple[str, ...]:
    return tuple(filter(None, map(_words, told[:_MOST_REMARKS]))) if isinstance(told, list) else ()


def _unfit(told: object) -> frozenset[int]:
    return frozenset(one for one in told if isinstance(one, int)) if isinstance(told, list) else frozenset()


def _kept(section: Section, one: Record) -> Ended | None:
    inputs = one.get("inputs")
    if not isinstance(inputs, list) or len(inputs) > _MOST_SLOTS:
        return None
    pairs = [(slot, text) for slot, text in (pair if isinstance(pair, list) and len(pair) == 2 else ("", None)  # noqa: PLR2004 -- a pair
                                             for pair in inputs) if isinstance(slot, str) and isinstance(text, str)]
    if len(pairs) != len(inputs) or any(len(text) > MOST_TEXT or len(slot) > _MOST_WORDS for slot, text in pairs):
        return None
    receiver = next((text for slot, text in pairs if slot == "."), "")
    call = Call(section=section, receiver=receiver, hostile=one.get("hostile") is True,
                arguments=tuple(pair for pair in pairs if pair[0] != "."))
    return _ended(call, one)


def _again(one: Record, calls: Sequence[Call]) -> Ended | None:
    at = one.get("call")
    return _ended(calls[at], one) if isinstance(at, int) and 0 <= at < len(calls) else None


def _ended(call: Call, one: Record) -> Ended | None:
    how = one.get("how")
    if not isinstance(how, str) or how not in {str(ending) for ending in Ending}:
        return None
    memory = one.get("memory")
    return Ended(
        call=call, how=Ending(how), error=_words(one.get("error")), message=_words(one.get("message")),
        digest=_words(one.get("digest")), seconds=_number(one.get("seconds")), cpu_seconds=_number(one.get("cpu")),
        memory_bytes=_whole(memory) if isinstance(memory, int) else None, turn=_whole(one.get("turn")))


def _words(value: object) -> str:
    return value[:_MOST_WORDS] if isinstance(value, str) else ""


def _number(value: object) -> float:
    sound = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf
    return float(value) if sound and isinstance(value, int | float) else 0.0


def _whole(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**50 else 0
