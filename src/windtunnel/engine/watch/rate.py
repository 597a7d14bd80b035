"""Far more acts of one kind by one actor than a bound, or than is usual for that actor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from windtunnel.core.alert import Severity
from windtunnel.engine.watch.memory import evidence, most_usual, note, usual, window, word
from windtunnel.engine.watch.rule import Acts, Example, Finding, Option, Rule, Scene, Seen
from windtunnel.policy import table

_MOST_PAST = 120


def look(seen: Seen, scene: Scene) -> Iterator[Finding]:
    """Count it in its window; fire once when the window has too many."""
    options = scene.options
    kind = word(seen.entry.kind)
    found = window(scene.memory, f"{seen.actor}\x1f{kind}", seen, seconds=options["window"], most_past=_MOST_PAST)
    found["count"] += 1
    note(found, seen)
    if found["fired"]:
        return
    if found["usual"] is None:
        found["usual"] = most_usual(found["past"], options)
    if found["count"] > found["usual"]:
        found["fired"] = True
        yield _finding(seen, found, options)


def _finding(seen: Seen, found: dict[str, Any], options: Mapping[str, Any]) -> Finding:
    past = [count for count, _ in found["past"]]
    figures: dict[str, int | float | str] = {
        "kind": seen.entry.kind, "acts": found["count"], "bound": round(found["usual"], 2),
        "window_seconds": options["window"], "windows_before": len(past)}
    if past:
        middle, spread, high = usual(past)
        figures |= {"median_before": middle, "spread_before": round(spread, 2), "one_in_twenty_before": high}
    return Finding(
        subject=f"{seen.actor}, {seen.entry.kind}", records=evidence(found), figures=figures,
        message=f"{seen.actor} did {seen.entry.kind} {found['count']} times within {options['window']:g} seconds, more "
                f"than {found['usual']:g}")


RULE = Rule(
    id="rate", about="more acts of one kind by one actor than a bound, or than its own past", look=look,
    severity=Severity.MEDIUM,
    options={
        "window": Option(kind=table.seconds, default=3600.0, about="the time in which acts are counted"),
        "most": Option(kind=table.whole, default=10_000, about="the most acts in it, whatever was usual"),
        "least": Option(kind=table.whole, default=100, about="fewer acts are never too many by the past"),
        "learn": Option(kind=table.whole, default=48, about="windows with acts before the past counts"),
        "spreads": Option(kind=table.number, default=8, about="how many spreads above the median are still usual"),
        "times": Option(kind=table.number, default=3, about="how many times what one window in twenty exceeds"),
    },
    examples=(
        Example(about="two hundred runs in an hour after fifty hours with five each",
                trail=(Acts(count=250, every=720), Acts(count=200, every=5)), fires=1),
        Example(about="a burst before anything is known of the actor",
                trail=(Acts(count=10, every=720), Acts(count=200, every=5)), fires=0),
        Example(about="more than the bound", trail=(Acts(count=60, every=1),), options={"most": 50}, fires=1),
        Example(about="a hundred runs in every hour", trail=(Acts(count=6000, every=36),), fires=0),
    ))
