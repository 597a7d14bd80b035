"""Acts upon the log itself: what is taken out of it, kept in it or let go."""

from __future__ import annotations

from collections.abc import Iterator

from windtunnel.core.alert import Severity
from windtunnel.engine.watch import details
from windtunnel.engine.watch.rule import Acts, Example, Finding, Option, Rule, Scene, Seen
from windtunnel.policy import table

KINDS = ("redact", "hold", "release", "retain", "retention")


def look(seen: Seen, scene: Scene) -> Iterator[Finding]:
    """Fire on every act whose kind begins with one of these words."""
    kind = seen.entry.kind
    if kind.replace("-", " ").replace("_", " ").partition(" ")[0] not in scene.options["kinds"]:
        return
    told = seen.entry.details
    what = " ".join(word for word in (kind, details.text(told.get("act"))) if word)
    about = f" on {seen.entry.subject}" if seen.entry.subject else ""
    yield Finding(
        subject=seen.actor, records=(seen.evidence,),
        figures={"kind": kind, "outcome": seen.entry.outcome, "reason": details.text(told.get("reason"))},
        message=f"{seen.actor} did {what}{about} in the audit log: {seen.entry.outcome}")


RULE = Rule(
    id="log-acts", about="redactions, holds and retention in the audit log", severity=Severity.MEDIUM, look=look,
    again=0.0,
    options={"kinds": Option(kind=table.lines, default=KINDS, about="the words that such kinds begin with")},
    examples=(
        Example(about="a detail was taken out", trail=(Acts(kind="redact", subject="17"),), fires=1),
        Example(about="a hold was let go", trail=(Acts(kind="hold", details={"act": "release"}),), fires=1),
        Example(about="runs and trials", trail=(Acts(), Acts(kind="trial", outcome="good")), fires=0),
    ))
