"""Programs of one actor that are refused more and more by the walls around them."""

from __future__ import annotations

from collections.abc import Iterator

from windtunnel.core.alert import Severity
from windtunnel.engine.watch import details
from windtunnel.engine.watch.memory import evidence, most_usual, note, window
from windtunnel.engine.watch.rule import Acts, Example, Finding, Option, Rule, Scene, Seen
from windtunnel.policy import table

_MOST_PAST = 120


def look(seen: Seen, scene: Scene) -> Iterator[Finding]:
    """Count different calls and targets that were refused; one that is tried a million times counts once for an act."""
    if "effects" not in seen.entry.details:
        return
    calls, targets = details.refused_calls(seen.entry.details), details.refused_targets(seen.entry.details)
    found = window(scene.memory, seen.actor, seen, seconds=scene.options["window"], most_past=_MOST_PAST)
    found["count"] += (more := len(calls) + len(targets))
    if not more or found["fired"]:
        return
    note(found, seen)
    if found["usual"] is None:
        found["usual"] = most_usual(found["past"], scene.options)
    if found["count"] > found["usual"]:
        found["fired"] = True
        yield Finding(
            subject=seen.actor, records=evidence(found),
            figures={"refused": found["count"], "bound": round(found["usual"], 2), "calls": ", ".join(calls[:5]),
                     "targets": ", ".join(targets[:3]), "windows_before": len(found["past"])},
            message=f"programs of {seen.actor} were refused {found['count']} calls and connections within "
                    f"{scene.options['window']:g} seconds, more than {found['usual']:g}")


_NETWORK = {"effects": {"network": [{"target": "example.org:443", "outcome": "refused"}], "blocked": []}}
_ALLOWED = {"effects": {"network": [{"target": "example.org:443", "outcome": "allowed"}], "blocked": []}}
RULE = Rule(
    id="probing", about="refused system calls and connections of one actor's programs rise", severity=Severity.MEDIUM,
    look=look,
    options={
        "window": Option(kind=table.seconds, default=3600.0, about="the time in which they are counted"),
        "most": Option(kind=table.whole, default=1000, about="the most in it, whatever was usual"),
        "least": Option(kind=table.whole, default=50, about="fewer are never too many by the past"),
        "learn": Option(kind=table.whole, default=24, about="windows with acts before the past counts"),
        "spreads": Option(kind=table.number, default=8, about="how many spreads above the median are still usual"),
        "times": Option(kind=table.number, default=3, about="how many times what one window in twenty exceeds"),
    },
    examples=(
        Example(about="a hundred and twenty in an hour after thirty quiet hours", fires=1, trail=(
            Acts(count=180, every=600, details={"effects": {}}), Acts(count=120, every=30, details=_NETWORK))),
        Example(about="connections that were allowed", fires=0, trail=(
            Acts(count=180, every=600, details={"effects": {}}), Acts(count=120, every=30, details=_ALLOWED))),
        Example(about="two in every act from the start", fires=0, trail=(
            Acts(count=900, every=120, details=_NETWORK),)),
    ))
