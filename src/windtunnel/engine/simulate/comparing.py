"""What a section did under a condition beside what it does without one.

Without conditions each call is made several times. Only a call that returned every time can be broken by a condition,
and its value counts only where it was the same every time. A call is broken under a condition when most of its
repetitions there raise, never return, end the process, or give another value. A hostile call, which nobody promised
to answer, is broken only where it never returns, ends the process or runs out of memory or stack.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from windtunnel.core.section import Call, Called, Ended, Ending, SectionKind
from windtunnel.core.simulation import Outcome, State

SLOWER, MORE_SECONDS = 3.0, 0.05
_FATAL = ("MemoryError", "RecursionError")
_MOST_REASON = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Calm:
    """What the calls of one section do when nothing is wrong."""

    section: str
    calls: tuple[Call, ...]
    """Those that returned every time."""
    digests: Mapping[str, str]
    """By call: of the value, where it was the same every time."""
    seconds: Mapping[str, float]
    """By call: the median."""
    unsteady: str = ""
    """Why nothing can be said of it, where no call was steady."""


def calm_of(called: Called) -> Calm:
    """From several repetitions of each call."""
    ends = _by_call(called.ends)
    steady = {text: group for text, group in ends.items() if _all_returned(group)}
    return Calm(
        section=called.section.id, calls=tuple(group[0].call for group in steady.values()),
        digests={text: group[0].digest for text, group in steady.items() if len({one.digest for one in group}) == 1},
        seconds={text: statistics.median(one.seconds for one in group) for text, group in steady.items()},
        unsteady="" if steady else called.failed or _unsteady(ends))


def outcome(calm: Calm, called: Called | None, *, scenario: str) -> Outcome:
    """How the section did under the scenario."""
    if called is None or not called.ends:
        reason = "nothing was heard of it" if called is None else called.failed or "no call was made"
        return Outcome(section=calm.section, scenario=scenario, state=State.NOT_RUN, reason=reason[:_MOST_REASON])
    ends = _by_call(called.ends)
    broken = [(text, reason) for text, group in ends.items() if (reason := _broken(calm, text, group))]
    seconds = statistics.median(one.seconds for one in called.ends)
    usual = statistics.median(calm.seconds.get(text, 0.0) for text in ends)
    state, reason, call = State.OK, "", ""
    if broken:
        state, (call, reason) = State.BROKEN, broken[0]
    elif seconds > SLOWER * usual and seconds > usual + MORE_SECONDS:
        state, reason = State.SLOW, f"{seconds:.3g} s, without conditions {usual:.3g} s"
    return Outcome(section=calm.section, scenario=scenario, state=state, reason=reason[:_MOST_REASON], call=call,
                   calls=len(called.ends), seconds=seconds, calm_seconds=usual,
                   cpu_seconds=statistics.median(one.cpu_seconds for one in called.ends))


def _broken(calm: Calm, text: str, group: Sequence[Ended]) -> str:
    """What is wrong with most repetitions of one call; empty where nothing is."""
    hostile = group[0].call.hostile
    if not hostile and text not in calm.seconds:
        return ""
    wrong = [reason for one in group if (reason := _wrong(one, calm.digests.get(text, ""), hostile=hostile))]
    return wrong[0] if 2 * len(wrong) > len(group) else ""


def _wrong(one: Ended, digest: str, *, hostile: bool) -> str:
    if one.how is Ending.RAISED and (not hostile or one.error in _FATAL):
        verb = "fails" if one.call.section.kind is SectionKind.TEST else "raises"
        return f"{verb} {one.error}: {one.message}".removesuffix(": ")
    if one.how in {Ending.NEVER_RETURNED, Ending.ENDED_PROCESS}:
        return str(one.how)
    if one.how is Ending.RETURNED and digest and one.digest and one.digest != digest:
        return "returns another value"
    return ""


def _by_call(ends: Iterable[Ended]) -> dict[str, list[Ended]]:
    groups: dict[str, list[Ended]] = defaultdict(list)
    for one in ends:
        groups[str(one.call)].append(one)
    return dict(groups)


def _all_returned(group: Sequence[Ended]) -> bool:
    return all(one.how is Ending.RETURNED for one in group)


def _unsteady(ends: Mapping[str, Sequence[Ended]]) -> str:
    if not ends:
        return "no call returned normally"
    words = sorted({f"{one.how} {one.error}".strip() for group in ends.values() for one in group})
    return f"its calls end in several ways: {', '.join(words)}"[:_MOST_REASON] if len(words) > 1 else words[0]
