"""What a rule is: one question about each record, a bounded memory of those before, and examples of both answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, TypeAlias

from windtunnel.core.alert import Evidence, Severity
from windtunnel.core.audit import AuditEntry, AuditRecord
from windtunnel.policy.tree import Node

Memory: TypeAlias = dict[str, Any]
"""Plain JSON values, so that a watch that was killed goes on where it was; each rule bounds its own."""
_FIRST = datetime(2026, 1, 5, 9, tzinfo=UTC)
"""When the examples begin: a Monday morning."""


class Seen(NamedTuple):
    """One record, as rules look at it; made for every one, and so of the kind that is made fastest."""

    record: AuditRecord
    entry: AuditEntry
    when: float
    """Seconds since 1970, by the clock that wrote it."""
    actor: str
    """Bounded, so that it can be remembered."""

    @property
    def evidence(self) -> Evidence:
        """By which a person finds it."""
        return Evidence(seq=self.record.seq, id=self.entry.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a rule found; the watch makes an alert of it."""

    subject: str
    message: str
    records: tuple[Evidence, ...]
    figures: Mapping[str, int | float | str] = field(default_factory=dict)
    severity: Severity | None = None
    """Only where it is not the rule's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What a rule knows besides the record."""

    options: Mapping[str, Any]
    memory: Memory
    earlier: Callable[[str, int], AuditRecord | None] = lambda _, __: None
    """The trial of this id that was recorded before this place, where the memory has it no more."""
    checkpoint: Callable[[int], int] = lambda _: 0
    """How many records, of those before this place, are under the newest checkpoint made until then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One thing that a rules file may say of a rule."""

    kind: Callable[[Node, str], Any]
    default: Any
    about: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Acts:
    """Several records of one sort, one after the other, for examples."""

    count: int = 1
    every: float = 60.0
    """Seconds from each to the next; the first comes so long after what was before."""
    actor: str = "ann"
    kind: str = "run"
    outcome: str = "done"
    subject: str = ""
    skip: int = 0
    """Places left out before the first."""
    details: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """Records, and how often the rule fires over them."""

    about: str
    trail: tuple[Acts, ...]
    fires: int
    options: Mapping[str, object] = field(default_factory=dict)
    checkpoints: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One kind of anomaly."""

    id: str
    about: str
    severity: Severity
    look: Callable[[Seen, Scene], Iterable[Finding]]
    options: Mapping[str, Option] = field(default_factory=dict)
    again: float = 3600.0
    """Seconds for which the same rule says nothing more about the same subject."""
    on: bool = True
    """Whether it is in force where no file speaks of it."""
    sees_alerts: bool = False
    """Whether it looks at the records of alerts too; only a rule about places may."""
    examples: tuple[Example, ...] = ()

    @property
    def defaults(self) -> dict[str, Any]:
        """Its options where nobody sets them."""
        return {name: option.default for name, option in self.options.items()}


def unrolled(trail: Iterable[Acts]) -> Iterator[AuditRecord]:
    """The records of an example."""
    seq, when, latest = 0, _FIRST, _FIRST
    for acts in trail:
        seq += acts.skip
        for _ in range(acts.count):
            when += timedelta(seconds=acts.every)
            yield record_at(acts, seq=seq, when=when, back=max(0.0, (latest - when).total_seconds()))
            seq, latest = seq + 1, when


def record_at(acts: Acts, *, seq: int, when: datetime, back: float = 0.0) -> AuditRecord:
    """One record of that sort, at that place."""
    entry = AuditEntry(kind=acts.kind, outcome=acts.outcome, actor=acts.actor, id=f"{seq:032x}", subject=acts.subject,
                       details=acts.details)
    return AuditRecord(seq=seq, time=when.isoformat(timespec="microseconds"), entry=entry, previous="",
                       hash=f"{seq:064x}", details_hash="", clock_back=back)
