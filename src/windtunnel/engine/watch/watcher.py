"""Every rule in force, over one record after the other.

What holds: the same records give the same alerts, however often the watch was interrupted, since all that it remembers
is plain JSON that is kept beside its place in the log. Memory is bounded, and so is the number of alerts: one rule says
nothing more about one subject for a while, and at most a hundred things in an hour; what is left out is said once.
Records of alerts are looked at by no rule but the one about missing places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from windtunnel.core.alert import Alert, Severity
from windtunnel.core.audit import AuditRecord
from windtunnel.engine.watch.memory import touched, word
from windtunnel.engine.watch.rule import Finding, Memory, Rule, Scene, Seen

ALERT = "alert"
"""The kind of record that says that an alert was delivered."""
STORM = "storm"
MOST_IN_AN_HOUR = 100
_MOST_SUBJECTS = 5000
_HOUR = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Active:
    """A rule in force, as the file of rules has it."""

    rule: Rule
    options: Mapping[str, Any]
    severity: Severity | None = None
    """In place of whatever the rule says."""
    again: float | None = None


class Watcher:
    """Looks at records in their order."""

    def __init__(
        self, active: Sequence[Active], *, memory: Memory | None = None,
        earlier: Callable[[str, int], AuditRecord | None] = lambda _, __: None,
        checkpoint: Callable[[int], int] = lambda _: 0,
    ) -> None:
        """Go on with what was remembered."""
        self.memory: Memory = {} if memory is None else memory
        self._now = 0.0
        rules = self.memory.setdefault("rules", {})
        self._rules = [
            (one, one.rule.look, one.rule.sees_alerts, Scene(
                options=one.options, memory=rules.setdefault(one.rule.id, {}), earlier=earlier, checkpoint=checkpoint))
            for one in active]

    def see(self, record: AuditRecord) -> list[Alert]:
        """What there is to say, now that this record came."""
        entry = record.entry
        for text in (record.time, entry.kind, entry.outcome, entry.actor, entry.subject, entry.parent, entry.id):
            if not isinstance(text, str):
                raise ValueError(f"record {record.seq} holds {type(text).__name__} where a text belongs")  # noqa: TRY004 -- of the log, not of the caller
        self._now = self._when(record)
        seen = Seen(record, entry, self._now, word(entry.actor))
        is_alert = entry.kind == ALERT
        made: list[Alert] = []
        for one, look, sees_alerts, scene in self._rules:
            if not is_alert or sees_alerts:
                for finding in look(seen, scene):
                    made += self._alerts(one, finding, record)
        return made

    def _when(self, record: AuditRecord) -> float:
        try:
            when = datetime.fromisoformat(record.time)
            return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
        except (ValueError, OverflowError):
            return self._now  # a time that is none is that of the record before

    def _alerts(self, one: Active, finding: Finding, record: AuditRecord) -> Iterator[Alert]:
        if self._told_lately(one, finding):
            return
        rule, storms = one.rule.id, self.memory.setdefault("storms", {})
        hour = int(self._now // _HOUR)
        if storms.get(rule, [None])[0] != hour:
            storms[rule] = [hour, 0]
        storms[rule][1] += 1
        if storms[rule][1] <= MOST_IN_AN_HOUR:
            yield Alert(rule=rule, severity=one.severity or finding.severity or one.rule.severity, time=record.time,
                        subject=finding.subject, message=finding.message, records=finding.records,
                        figures=finding.figures)
        elif storms[rule][1] == MOST_IN_AN_HOUR + 1:
            yield Alert(
                rule=STORM, severity=Severity.HIGH, subject=rule, time=record.time, records=finding.records,
                figures={"alerts": MOST_IN_AN_HOUR},
                message=f"rule {rule} fired more than {MOST_IN_AN_HOUR} times within an hour; the rest of that hour is "
                        "left out, and something else may hide in it")

    def _told_lately(self, one: Active, finding: Finding) -> bool:
        again = one.rule.again if one.again is None else one.again
        if not again:
            return False
        told: dict[str, float] = self.memory.setdefault("told", {})
        # Something graver about the same subject is told at once.
        key = f"{one.rule.id}\x1f{finding.severity or ''}\x1f{word(finding.subject)}"
        if key in told and abs(self._now - told[key]) < again:
            return True
        touched(told, key, self._now, most=_MOST_SUBJECTS)
        told[key] = self._now
        return False
