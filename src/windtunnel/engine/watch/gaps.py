"""Places of the log at which there is no record any more."""

from __future__ import annotations

from collections.abc import Iterator

from windtunnel.core.alert import Severity
from windtunnel.engine.watch.rule import Acts, Example, Finding, Rule, Scene, Seen


def look(seen: Seen, scene: Scene) -> Iterator[Finding]:
    """Fire where a place does not follow the one before; where the watch began is no gap."""
    last = scene.memory.get("last")
    scene.memory["last"] = seq = seen.record.seq
    if last is None or seq <= last + 1:
        return
    yield Finding(
        subject=f"records {last + 1} to {seq - 1}", records=(seen.evidence,),
        figures={"first": last + 1, "last": seq - 1, "missing": seq - last - 1},
        message=f"{seq - last - 1} records before record {seq} are not there (windtunnel audit verify says whether "
                "they were removed by the rules of retention)")


RULE = Rule(
    id="gaps", about="records that are not there any more", severity=Severity.HIGH, look=look, again=0.0,
    sees_alerts=True,
    examples=(
        Example(about="five places are empty", trail=(Acts(count=3), Acts(skip=5)), fires=1),
        Example(about="all are there", trail=(Acts(count=20), Acts(kind="alert"), Acts()), fires=0),
    ))
