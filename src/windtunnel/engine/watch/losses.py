"""Acts that ended with their process, in numbers: somebody or something kills them before they are recorded."""

from __future__ import annotations

from collections.abc import Iterator

from windtunnel.core.alert import Evidence, Severity
from windtunnel.engine.watch.memory import several
from windtunnel.engine.watch.rule import Acts, Example, Finding, Option, Rule, Scene, Seen
from windtunnel.policy import table


def look(seen: Seen, scene: Scene) -> Iterator[Finding]:
    """Count those that were lost, of all actors together."""
    if seen.entry.outcome != "lost":
        return
    most, seconds = scene.options["most"], scene.options["window"]
    lately = [one for one in scene.memory.get("lately", ()) if abs(seen.when - one[2]) <= seconds]
    lately = [*lately, [seen.record.seq, seen.evidence.id, seen.when]][-most:]
    scene.memory["lately"] = lately
    if len(lately) >= most:
        scene.memory["lately"] = []
        yield Finding(
            subject="lost", records=tuple(Evidence(seq=seq, id=act) for seq, act, _ in lately),
            figures={"lost": len(lately), "bound": most, "window_seconds": seconds},
            message=f"{len(lately)} acts were lost with their processes within {seconds:g} seconds")


RULE = Rule(
    id="losses", about="many acts whose processes died before they ended", severity=Severity.MEDIUM, look=look,
    options={
        "window": Option(kind=table.seconds, default=3600.0, about="the time in which they are counted"),
        "most": Option(kind=several, default=5, about="so many fire"),
    },
    examples=(
        Example(about="five within minutes", trail=(Acts(count=7, outcome="lost"),), fires=1),
        Example(about="one now and then", trail=(Acts(count=20, every=1800, outcome="lost"),), fires=0),
        Example(about="acts that ended", trail=(Acts(count=50),), fires=0),
    ))
