"""What the program of workflows reported, read as hostile text, and as an observation for metrics."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from windtunnel.core.metric import Observation, usable
from windtunnel.metrics.workflows import Workflow

_MOST_BYTES = 16 * 1024 * 1024
_MOST_REASON = 200
_BEGUN, _OVER = "begun", b'{"over": true}'
_Texts = dict[tuple[int, int], str]


class Ended(StrEnum):
    """How one step ended."""

    RETURNED = "returned"
    RAISED = "raised"
    DIED = "died"
    """Its process ended in the middle of it."""
    TIMED_OUT = "timed out"
    NOT_CALLED = "not called"
    """Nothing ran that could succeed: no function, arguments missing, or only a definition."""
    NOT_RUN = "not run"
    """Its turn did not come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRun:
    """One step as it went."""

    workflow: int
    number: int
    step: str
    ended: Ended
    reason: str = ""
    wall_seconds: float | None = None
    cpu_seconds: float | None = None
    peak_memory_bytes: int | None = None

    @property
    def success(self) -> bool:
        """Whether it was called and returned."""
        return self.ended is Ended.RETURNED


def read_report(
    report: bytes | None, workflows: Sequence[Workflow], *, late: bool = False,
) -> tuple[StepRun, ...]:
    """One for each step, in order; a step that the report does not tell of was not run. The first record counts.

    One that had begun when the report breaks off ended all there was, and died by that; unless time was over, which
    ``late`` says of the sandbox's.
    """
    told: dict[tuple[int, int], StepRun] = {}
    texts = {(one.id, number): text for one in workflows for number, text in enumerate(one.steps)}
    for line in _lines(report or b"", texts):
        found = _record(line, texts)
        if found is not None:
            told.setdefault((found.workflow, found.number), found)
    if not late:
        told = {**_broken_off(report or b"", texts), **told}
    return tuple(told.get(place) or StepRun(
        workflow=place[0], number=place[1], step=text, ended=Ended.NOT_RUN,
        reason="the run ended before its turn came") for place, text in texts.items())


def _lines(report: bytes, texts: _Texts) -> list[bytes]:
    """With those that only say that a step has begun; the room behind the last one is empty where nobody cut it off."""
    return report[:_MOST_BYTES].rstrip(b"\0").splitlines()[:3 * len(texts) + 2]


def _broken_off(report: bytes, texts: _Texts) -> dict[tuple[int, int], StepRun]:
    begun = None
    for line in _lines(report, texts):
        if line == _OVER:
            return {}
        begun = _begun(line, texts) or begun
    return {} if begun is None else {begun: StepRun(
        workflow=begun[0], number=begun[1], step=texts[begun], ended=Ended.DIED,
        reason="it ended all processes of its sandbox")}


def _begun(line: bytes, texts: _Texts) -> tuple[int, int] | None:
    try:
        found = json.loads(line)
        place = (int(found["workflow"]), int(found["step"]))
        return place if found["ended"] == _BEGUN and place in texts else None
    except (ValueError, TypeError, LookupError, OverflowError, RecursionError):
        return None


def _record(line: bytes, texts: _Texts) -> StepRun | None:
    try:
        found = json.loads(line)
        place = (int(found["workflow"]), int(found["step"]))
        return StepRun(
            workflow=place[0], number=place[1], step=texts[place], ended=Ended(found["ended"]),
            reason=str(found.get("reason", ""))[:_MOST_REASON], wall_seconds=_figure(found.get("wall_seconds")),
            cpu_seconds=_figure(found.get("cpu_seconds")),
            peak_memory_bytes=None if (peak := _figure(found.get("peak_memory_bytes"))) is None else int(peak))
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError):
        return None


def _figure(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and usable(value) else None


def observed(runs: Iterable[StepRun]) -> Observation:
    """The steps that were called, as calls; those that were not are no calls."""
    called = [one for one in runs if one.ended not in {Ended.NOT_CALLED, Ended.NOT_RUN}]
    walls = [one.wall_seconds for one in called if one.wall_seconds is not None]
    cpus = [one.cpu_seconds for one in called if one.cpu_seconds is not None]
    peaks = [one.peak_memory_bytes for one in called if one.peak_memory_bytes is not None]
    return Observation(
        calls=len(called), raised=sum(not one.success for one in called),
        unsafe=sum(one.ended in {Ended.DIED, Ended.TIMED_OUT} for one in called), call_seconds=tuple(walls),
        wall_seconds=sum(walls) if called and len(walls) == len(called) else None,
        cpu_seconds=sum(cpus) if called and len(cpus) == len(called) else None,
        peak_memory_bytes=max(peaks) if called and len(peaks) == len(called) else None)
