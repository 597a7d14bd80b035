"""Somebody acts, or applies, who never did before."""

from __future__ import annotations

from collections.abc import Iterator

from windtunnel.core.alert import Severity
from windtunnel.engine.watch.memory import touched
from windtunnel.engine.watch.rule import Acts, Example, Finding, Option, Rule, Scene, Seen
from windtunnel.policy import table

_MOST_ACTORS = 20_000
"""Beyond, whoever acted longest ago is new again."""


def look(seen: Seen, scene: Scene) -> Iterator[Finding]:
    """Fire on the first act, and on the first apply, after the time of learning."""
    memory = scene.memory
    begun = memory.setdefault("begun", seen.when)
    actors: dict[str, int] = memory.setdefault("actors", {})
    known = seen.actor in actors
    applied = touched(actors, seen.actor, 0, most=_MOST_ACTORS)
    first_apply = seen.entry.kind == "apply" and not applied
    if first_apply:
        actors[seen.actor] = 1
    if seen.when - begun < scene.options["learn"] or (known and not first_apply):
        return
    what = "applied a change" if first_apply else f"did {seen.entry.kind}"
    yield Finding(
        subject=seen.actor, records=(seen.evidence,),
        severity=Severity.HIGH if first_apply and not known else Severity.MEDIUM if first_apply else None,
        figures={"kind": seen.entry.kind, "known": "yes" if known else "no",
                 "actors_before": len(actors) - (0 if known else 1)},
        message=f"{seen.actor} {what} for the first time" + ("" if known else ", and was never seen before"))


RULE = Rule(
    id="new-actor", about="the first act, or the first apply, of an actor", severity=Severity.LOW, look=look, again=0.0,
    options={"learn": Option(kind=table.seconds, default=7 * 86_400.0,
                             about="the time from the first record in which everybody is new")},
    examples=(
        Example(about="a stranger after ten days", trail=(Acts(count=240, every=3600), Acts(actor="eve")), fires=1),
        Example(about="a known actor applies for the first time",
                trail=(Acts(count=240, every=3600), Acts(kind="apply", count=3)), fires=1),
        Example(about="everybody on the first day",
                trail=(Acts(), Acts(actor="bob"), Acts(actor="bob", kind="apply")), fires=0),
        Example(about="known ones go on",
                trail=(Acts(kind="apply"), Acts(actor="bob"), Acts(count=240, every=3600), Acts(kind="apply"),
                       Acts(actor="bob")), fires=0),
    ))
