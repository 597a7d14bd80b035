"""Refused again and again: somebody tries what is not allowed, or something is broken."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from statistics import median
from typing import Any

from windtunnel.core.alert import Evidence, Severity
from windtunnel.engine.watch.memory import evidence, note, several, touched, window
from windtunnel.engine.watch.rule import Acts, Example, Finding, Option, Rule, Scene, Seen
from windtunnel.policy import table

REFUSED = frozenset({"refused", "denied", "error"})
_MOST_PAST = 120
_LEAST_SHARE, _MOST_SHARE = 0.05, 0.95
_SPREADS = 3 * 1.4826


def look(seen: Seen, scene: Scene) -> Iterator[Finding]:
    """Count refusals in a row, and their share in a window against the share that is usual."""
    bad = seen.entry.outcome in REFUSED
    yield from _in_a_row(seen, scene, bad=bad)
    found = window(scene.memory, seen.actor, seen, seconds=scene.options["window"], most_past=_MOST_PAST)
    found["count"] += 1
    if not bad:
        return
    found["bad"] += 1
    note(found, seen)
    if found["fired"] or found["bad"] < scene.options["least"] or len(found["past"]) < scene.options["learn"]:
        return
    if found["usual"] is None:
        found["usual"] = _usual_share(found["past"])
    share, count = found["usual"], found["count"]
    most = count * share + scene.options["spreads"] * math.sqrt(count * share * (1 - share))
    if found["bad"] > most:
        found["fired"] = True
        yield _finding(seen, found, scene.options, most=most)


def _in_a_row(seen: Seen, scene: Scene, *, bad: bool) -> Iterator[Finding]:
    rows: dict[str, list[list[Any]]] = scene.memory.setdefault("rows", {})
    if not bad:
        rows.pop(seen.actor, None)
        return
    row = touched(rows, seen.actor, [])
    if len(row) >= scene.options["row"]:
        return  # told already, until something succeeds
    row.append([seen.record.seq, seen.evidence.id])
    if len(row) == scene.options["row"]:
        yield Finding(
            subject=seen.actor, severity=Severity.HIGH,
            records=tuple(Evidence(seq=seq, id=act) for seq, act in row),
            figures={"in_a_row": len(row), "bound": scene.options["row"], "last": seen.entry.outcome},
            message=f"{seen.actor} was refused {len(row)} times in a row")


def _usual_share(past: list[list[int]]) -> float:
    """The median share of refusals in earlier windows, with room for its spread."""
    shares = [bad / count for count, bad in past if count]
    middle = median(shares)
    spread = _SPREADS * median(abs(share - middle) for share in shares)
    return min(max(middle + spread, _LEAST_SHARE), _MOST_SHARE)


def _finding(seen: Seen, found: dict[str, Any], options: Mapping[str, Any], *, most: float) -> Finding:
    share = found["bad"] / found["count"]
    return Finding(
        subject=seen.actor, records=evidence(found),
        figures={"refused": found["bad"], "acts": found["count"], "share": round(share, 3),
                 "usual_share": round(found["usual"], 3), "bound": round(most, 2), "window_seconds": options["window"],
                 "windows_before": len(found["past"])},
        message=f"{found['bad']} of {found['count']} acts of {seen.actor} within {options['window']:g} seconds were "
                f"refused, where a share of {found['usual']:.0%} is usual")


RULE = Rule(
    id="refusals", about="refused, denied or failed by a fault many times in a row, or far more often than usual",
    severity=Severity.MEDIUM, look=look,
    options={
        "row": Option(kind=several, default=12, about="so many in a row fire"),
        "window": Option(kind=table.seconds, default=3600.0, about="the time over which the share is taken"),
        "least": Option(kind=table.whole, default=10, about="fewer refusals in a window are never too many"),
        "learn": Option(kind=table.whole, default=24, about="windows with acts before the past counts"),
        "spreads": Option(kind=table.number, default=8, about="how many spreads above the usual share are usual"),
    },
    examples=(
        Example(about="twelve in a row, and eight more",
                trail=(Acts(count=5), Acts(count=20, outcome="denied")), fires=1),
        Example(about="every second act refused, after thirty hours without a refusal", trail=(
            Acts(count=180, every=1200),
            *(Acts(every=30, outcome=outcome) for outcome in ("refused", "done") * 20)), fires=1),
        Example(about="eleven in a row", trail=(Acts(count=11, outcome="refused"), Acts()), fires=0),
        Example(about="programs that fail are no refusals", trail=(Acts(count=40, outcome="failed"),), fires=0),
    ))
