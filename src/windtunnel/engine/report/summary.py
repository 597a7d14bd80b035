"""What an auditor reads of a stretch of the audit log: who did what, what was let through, what was held back.

What holds: it is made of the records alone, one after the other, so that anybody who has the records makes the same;
memory does not grow with their number. What is cut off is said: lists end with how many more there were, and the
records themselves are all there. What does not hold: a record says what the machine saw, not what a person meant.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from windtunnel.core.audit import AuditRecord
from windtunnel.engine.report.rows import (
    about_row,
    apply_row,
    checkpoint_row,
    clock_row,
    decision_row,
    policy_of,
    redaction_row,
    refusal_row,
    short,
    trial_row,
    waiting_row,
)
from windtunnel.store.audit.evidence import Piece

MOST_ROWS = 1000
"""Of each list; the records hold the rest."""
MOST_NAMES = 200
"""Different names counted in each table; the rest is counted together."""
OTHERS = "(others)"
_MOST_VALUES = 20
_Listed = tuple[str, Callable[[AuditRecord], dict[str, object]]]
"""In which list a record stands, and as what."""
_BY_OUTCOME: Mapping[str, _Listed] = {
    "waiting": ("asked", waiting_row), "lost": ("lost", refusal_row),
    **dict.fromkeys(("refused", "denied", "error", "cancelled"), ("refusals", refusal_row))}
_BY_KIND: Mapping[str, _Listed] = {
    "trial": ("trials", trial_row), "redact": ("redactions", redaction_row), "alert": ("alerts", about_row),
    "checkpoint": ("checkpoints", checkpoint_row), **dict.fromkeys(("approve", "deny"), ("decided", decision_row)),
    **dict.fromkeys(("seal", "retain", "hold", "release"), ("keeping", about_row))}
_USED = re.compile(r"approved by (.{1,200}), ([0-9a-f]{12})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which records a report is about."""

    since: str = ""
    """UTC as records have it; empty for the beginning, and for the end without ``until``."""
    until: str = ""
    actor: str = ""
    projects: tuple[str, ...] = ()
    """Any of these; empty for all."""

    def in_span(self, record: AuditRecord) -> bool:
        """Whether it was written in the span of time."""
        return record.time >= self.since and (not self.until or record.time < self.until)

    def asked(self, record: AuditRecord) -> bool:
        """Whether the report is about it."""
        entry = record.entry
        return (self.in_span(record) and (not self.actor or entry.actor == self.actor)
                and (not self.projects or entry.project in self.projects))


@dataclass(slots=True)
class _Rows:
    """The first of many, and how many there were."""

    rows: list[dict[str, object]] = field(default_factory=list)
    count: int = 0

    def add(self, row: dict[str, object]) -> None:
        self.count += 1
        if len(self.rows) < MOST_ROWS:
            self.rows.append(row)

    def told(self) -> dict[str, object]:
        return {"count": self.count, "rows": self.rows}


class Tally:
    """Takes records in their order; ``told`` is the content of the report so far."""

    def __init__(self, wanted: Wanted) -> None:
        """About these, and no others."""
        self.wanted = wanted
        self._counts = {name: Counter[str]() for name in ("actor", "kind", "outcome", "project", "day")}
        self._lists = {name: _Rows() for name in (
            "applies", "refusals", "asked", "decided", "redactions", "taken_out", "lost", "clock", "removed", "trials",
            "checkpoints", "keeping", "alerts")}
        self._policies: dict[str, dict[str, Any]] = {}
        self._levels, self._controls = Counter[str](), dict[str, Counter[str]]()
        self._verdicts: dict[str, str] = {}
        self._deciders: dict[str, str] = {}
        self._records = self._beside = self._without_policy = 0
        self._first = self._last = ""

    def look(self, piece: Piece) -> AuditRecord | None:
        """Take one record of the stretch; give it if the report is about it."""
        record = piece.record
        if record is None:
            self._lists["removed"].add({"seq": piece.seq})
        elif piece.details is not None:
            self.add(record)
            return record
        else:
            self._beside += 1
            self._clock(record)
        return None

    def verdict(self, trial: str) -> str:
        """What the record of a trial says; empty where there was none, or too many came since."""
        return self._verdicts.get(trial, "")

    def add(self, record: AuditRecord) -> None:
        """One that the report is about; with its details."""
        entry = record.entry
        self._records += 1
        self._first, self._last = self._first or record.time, record.time
        for name, counter in self._counts.items():
            _count(counter, record.time[:10] if name == "day" else str(getattr(entry, name)))
        self._clock(record)
        self._policy(record)
        self._walls(record)
        self._list(record)

    def _clock(self, record: AuditRecord) -> None:
        if record.clock_back:
            self._lists["clock"].add(clock_row(record))

    def _list(self, record: AuditRecord) -> None:
        entry = record.entry
        if record.redacted:
            names = list(map(short, record.redacted))
            self._lists["taken_out"].add({"seq": record.seq, "time": record.time, "names": names})
        # That something was refused tells more than what it would have been; of a checkpoint it is told with it.
        found = _BY_OUTCOME.get(entry.outcome) if entry.kind != "checkpoint" else None
        if found is None and entry.kind in ("apply", "undo"):
            self._lists["applies"].add(self._applied(record))
            return
        found = found or _BY_KIND.get(entry.kind)
        if found is None:
            return
        name, row = found
        self._lists[name].add(row(record))
        if name == "trials":
            _remember(self._verdicts, entry.subject, entry.outcome)
        elif name == "decided":
            _remember(self._deciders, entry.subject, entry.actor)

    def _applied(self, record: AuditRecord) -> dict[str, object]:
        """An apply with who agreed to it: whoever the log says decided, not whoever the reason names."""
        found = _USED.fullmatch(str(policy_of(record).get("reason", "")))
        approval = found[2] if found else ""
        row = apply_row(record)
        return {**row, "verdict": self._verdicts.get(str(row["trial"]), ""), "approval": approval,
                "approver": short(self._deciders.get(approval, found[1] if found else "")),
                "approval_seen": approval in self._deciders}

    def _policy(self, record: AuditRecord) -> None:
        policy = policy_of(record)
        hash_ = short(policy.get("hash", ""))
        if not hash_:
            self._without_policy += 1
            return
        if hash_ not in self._policies and len(self._policies) >= MOST_NAMES:
            hash_ = OTHERS
        told = self._policies.setdefault(hash_, {"first": record.time, "last": "", "records": 0, "rules": Counter()})
        told["last"], told["records"] = record.time, told["records"] + 1
        _count(told["rules"], str(policy.get("rule", "")), most=_MOST_VALUES)

    def _walls(self, record: AuditRecord) -> None:
        details = record.entry.details
        result, controls = details.get("result"), details.get("controls")
        level = details.get("level") or (result.get("level") if isinstance(result, Mapping) else None)
        if isinstance(level, str):
            _count(self._levels, level)
        for name, value in controls.items() if isinstance(controls, Mapping) else ():
            word = short(name)
            known = word in self._controls or len(self._controls) < MOST_NAMES
            _count(self._controls.setdefault(word if known else OTHERS, Counter()), str(value), most=_MOST_VALUES)

    def told(self) -> dict[str, object]:
        """The content, as plain JSON; the same records give the same, byte for byte."""
        policies = [{"hash": name, **one, "rules": _sorted(one["rules"])} for name, one in self._policies.items()]
        return {
            "records": self._records, "beside": self._beside, "first": self._first, "last": self._last,
            "counts": {name: _sorted(counter, by_name=name == "day") for name, counter in self._counts.items()},
            **{name: rows.told() for name, rows in self._lists.items()},
            "policies": {"in_force": policies, "without": self._without_policy},
            "isolation": {"levels": _sorted(self._levels), "controls": {
                name: _sorted(values) for name, values in sorted(self._controls.items())}}}


def _count(counter: Counter[str], name: str, *, most: int = MOST_NAMES) -> None:
    word = short(name)
    counter[word if word in counter or len(counter) < most else OTHERS] += 1


def _sorted(counter: Counter[str], *, by_name: bool = False) -> list[dict[str, object]]:
    """The most first, or in the order of names."""
    pairs = sorted(counter.items(), key=lambda pair: (0 if by_name else -pair[1], pair[0]))
    return [{"name": name, "count": number} for name, number in pairs]


def _remember(known: dict[str, str], name: str, value: str) -> None:
    """The latest of them; the oldest goes where there are too many."""
    known.pop(name, None)
    known[name] = value
    if len(known) > 10 * MOST_ROWS:
        del known[next(iter(known))]
