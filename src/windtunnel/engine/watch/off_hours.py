"""Changes written into projects while nobody should be at work."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo
from functools import cache

from windtunnel.core.alert import Severity
from windtunnel.core.errors import UsageError
from windtunnel.engine.watch.rule import Acts, Example, Finding, Option, Rule, Scene, Seen
from windtunnel.policy import table
from windtunnel.policy.tree import Node, shown

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_HOURS = re.compile(r"([01][0-9]|2[0-4]):([0-5][0-9])-([01][0-9]|2[0-4]):([0-5][0-9])")
_NOTHING_DONE = frozenset({"refused", "denied", "waiting"})
_DAY_MINUTES = 24 * 60


def look(seen: Seen, scene: Scene) -> Iterator[Finding]:
    """Fire on an act of these kinds outside of the hours and days."""
    options = scene.options
    if seen.entry.kind not in options["kinds"] or seen.entry.outcome in _NOTHING_DONE:
        return
    here = datetime.fromtimestamp(seen.when, UTC).astimezone(_zone(options["zone"]))
    day, minute = here.weekday(), here.hour * 60 + here.minute
    first, last = _minutes(options["hours"])
    if first >= last and minute < last:
        day, minute = (day - 1) % 7, minute + _DAY_MINUTES  # the late part of a shift that began the day before
    end = last if first < last else last + _DAY_MINUTES
    if DAYS[day] in options["days"] and first <= minute < end:
        return
    yield Finding(
        subject=seen.actor, records=(seen.evidence,),
        figures={"local_time": f"{DAYS[here.weekday()]} {here:%H:%M}", "zone": options["zone"],
                 "hours": options["hours"], "days": " ".join(options["days"])},
        message=f"{seen.actor} did {seen.entry.kind} on {DAYS[here.weekday()]} at {here:%H:%M} ({options['zone']}), "
                f"outside of {options['hours']} on {', '.join(options['days'])}")


@cache
def _zone(name: str) -> tzinfo:
    if name == "UTC":
        return UTC
    from zoneinfo import ZoneInfo  # noqa: PLC0415 -- most need none

    return ZoneInfo(name)


@cache
def _minutes(hours: str) -> tuple[int, int]:
    match = _HOURS.fullmatch(hours)
    assert match is not None, hours
    return int(match[1]) * 60 + int(match[2]), int(match[3]) * 60 + int(match[4])


def _hours(node: Node, name: str) -> str:
    match = _HOURS.fullmatch(node.value) if isinstance(node.value, str) else None
    if match is None or max(_minutes(match[0])) > _DAY_MINUTES or match[1] == "24":
        raise node.refusal(f"{name}: not hours: {shown(node.value)} (try '08:00-18:00')")
    return match[0]


def _days(node: Node, name: str) -> tuple[str, ...]:
    found = table.lines(node, name)
    for one, (item, here) in zip(found, table.items(node, name), strict=True):
        if one not in DAYS:
            raise item.refusal(f"{here}: not a day: {shown(one)} (known: {', '.join(DAYS)})")
    return found


def _known_zone(node: Node, name: str) -> str:
    found = table.line(node, name)
    try:
        _zone(found)
    except (LookupError, ValueError, OSError) as error:
        raise _no_zone(node, name, found) from error
    return found


def _no_zone(node: Node, name: str, found: str) -> UsageError:
    return node.refusal(f"{name}: this machine knows no time zone {shown(found)} (try Europe/Vienna; where none is "
                        "known, install the tzdata package)")


RULE = Rule(
    id="off-hours", about="changes applied or undone outside of working hours", severity=Severity.MEDIUM, look=look,
    on=False,
    options={
        "hours": Option(kind=_hours, default="07:00-20:00", about="from when to when; may pass midnight"),
        "days": Option(kind=_days, default=DAYS[:5], about="of the week"),
        "zone": Option(kind=_known_zone, default="UTC", about="by whose clocks, as the time zone database calls it"),
        "kinds": Option(kind=table.lines, default=("apply", "undo"), about="which acts"),
    },
    examples=(
        Example(about="applied on Monday at 21:00", trail=(Acts(every=12 * 3600, kind="apply"),), fires=1),
        Example(about="applied on Saturday at noon", trail=(Acts(every=(5 * 24 + 3) * 3600, kind="apply"),), fires=1),
        Example(about="applied on Monday at 10:00", trail=(Acts(every=3600, kind="apply"),), fires=0),
        Example(about="refused at night", trail=(Acts(every=12 * 3600, kind="apply", outcome="denied"),), fires=0),
        Example(about="a night shift", trail=(Acts(every=18 * 3600, kind="apply"),),
                options={"hours": "22:00-06:00"}, fires=0),
    ))
