"""A clock that was set back, by which acts can be made to look older than they are."""

from __future__ import annotations

from collections.abc import Iterator

from windtunnel.core.alert import Severity
from windtunnel.engine.watch.rule import Acts, Example, Finding, Option, Rule, Scene, Seen
from windtunnel.policy import table


def look(seen: Seen, scene: Scene) -> Iterator[Finding]:
    """Compare with the record before, and with what the log itself said."""
    last = scene.memory.get("last", seen.when)
    scene.memory["last"] = seen.when
    back = max(seen.record.clock_back, last - seen.when)
    if back <= scene.options["tolerance"]:
        return
    yield Finding(
        subject="clock", records=(seen.evidence,),
        figures={"seconds_back": round(back, 3), "tolerance": scene.options["tolerance"]},
        message=f"the clock stood {back:.0f} seconds before that of the record before; the order of records is that of "
                "their numbers")


RULE = Rule(
    id="clock-back", about="the clock went back between two records", severity=Severity.MEDIUM, look=look,
    options={"tolerance": Option(kind=table.seconds, default=5.0, about="by which clocks may differ")},
    examples=(
        Example(about="ten minutes back", trail=(Acts(count=5), Acts(every=-600)), fires=1),
        Example(about="a second back", trail=(Acts(count=5), Acts(every=-1)), fires=0),
    ))
