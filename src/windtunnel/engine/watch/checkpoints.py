"""Records that nobody signed for: the last checkpoint is too long ago."""

from __future__ import annotations

from collections.abc import Iterator

from windtunnel.core.alert import Evidence, Severity
from windtunnel.engine.watch.rule import Acts, Example, Finding, Option, Rule, Scene, Seen
from windtunnel.policy import table


def look(seen: Seen, scene: Scene) -> Iterator[Finding]:
    """Compare the record with the first one that is under no checkpoint; fire once for each such stretch."""
    options, memory, seq = scene.options, scene.memory, seen.record.seq
    covered = scene.checkpoint(seq)
    if memory.get("covered") != covered:
        memory.update(covered=covered, first=[seq, seen.evidence.id, seen.when], fired=False)
    first = memory["first"]
    records, age = seq - first[0] + 1, seen.when - first[2]
    if memory["fired"] or not (covered or options["from_start"]):
        return
    if records > options["records"] or age > options["age"]:
        memory["fired"] = True
        yield Finding(
            subject=f"since {covered}", records=(Evidence(seq=first[0], id=first[1]), seen.evidence),
            figures={"records": records, "most_records": options["records"], "age_seconds": round(age),
                     "most_age_seconds": options["age"], "last_checkpoint": covered},
            message=f"{records} records are under no checkpoint, the oldest for {age / 3600:.1f} hours (windtunnel "
                    "audit checkpoint signs one)")


RULE = Rule(
    id="checkpoints", about="the last checkpoint is too many records or too long ago", severity=Severity.LOW, look=look,
    again=0.0,
    options={
        "records": Option(kind=table.whole, default=10_000, about="the most records after a checkpoint"),
        "age": Option(kind=table.seconds, default=7 * 86_400.0, about="the most time after it, between records"),
        "from_start": Option(kind=table.switch, default=False, about="also in a log that never had one"),
    },
    examples=(
        Example(about="eight days since the last", trail=(Acts(count=10, every=86_400),), checkpoints=(1,), fires=1),
        Example(about="one every five records", trail=(Acts(count=20, every=86_400),), checkpoints=(1, 5, 10, 15),
                fires=0),
        Example(about="a log that never had one", trail=(Acts(count=20, every=86_400),), fires=0),
        Example(about="one is asked for from the start", trail=(Acts(count=20),),
                options={"from_start": True, "records": 10}, fires=1),
    ))
