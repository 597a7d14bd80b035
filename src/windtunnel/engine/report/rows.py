"""What a report tells of one record of each kind; all of it bounded, and all of it as the record has it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from windtunnel.core.audit import AuditRecord

MOST_TEXT = 300
_APPROVAL = re.compile(r"windtunnel approvals approve ([0-9a-f]{12})\)$")


def short(value: object) -> str:
    """As text, and no more of it than a table can hold."""
    text = value if isinstance(value, str) else "" if value is None else str(value)
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}…"


def table(value: object) -> Mapping[str, object]:
    """It, if it is a table; an empty one where it is anything else."""
    return value if isinstance(value, Mapping) else {}


def policy_of(record: AuditRecord) -> Mapping[str, object]:
    """What a policy said to the act; nothing where there was none, or where it was taken out."""
    return table(record.entry.details.get("policy"))


def _base(record: AuditRecord) -> dict[str, object]:
    entry = record.entry
    return {"seq": record.seq, "time": record.time, "actor": short(entry.actor), "project": short(entry.project)}


def _ruled(record: AuditRecord) -> dict[str, object]:
    policy = policy_of(record)
    return {"rule": short(policy.get("rule")), "policy": short(policy.get("hash"))}


def about_row(record: AuditRecord) -> dict[str, object]:
    """An act on the log itself, or an alert: what it is about."""
    entry = record.entry
    return {**_base(record), "kind": short(entry.kind), "outcome": short(entry.outcome), "about": short(entry.subject)}


def apply_row(record: AuditRecord) -> dict[str, object]:
    """A change that a project got, or lost again."""
    entry = record.entry
    inputs = table(entry.details.get("inputs"))
    files = entry.details.get("after")
    return {**_base(record), "kind": entry.kind, "entry": short(entry.subject), "change": short(inputs.get("change")),
            "trial": short(entry.details.get("trial")), "tree": short(inputs.get("tree")),
            "files": len(files) if isinstance(files, Mapping) else 0, **_ruled(record),
            "redacted": [short(name) for name in record.redacted]}


def refusal_row(record: AuditRecord) -> dict[str, object]:
    """What was asked for and not done."""
    entry = record.entry
    why = table(entry.details.get("error")).get("message") or entry.details.get("why")
    return {**_base(record), "kind": short(entry.kind), "outcome": short(entry.outcome), "why": short(why),
            **_ruled(record)}


def waiting_row(record: AuditRecord) -> dict[str, object]:
    """What a person was asked."""
    entry = record.entry
    message = str(table(entry.details.get("error")).get("message", ""))
    found = _APPROVAL.search(message)
    return {**_base(record), "kind": short(entry.kind), "approval": found[1] if found else "",
            "reason": short(policy_of(record).get("reason")), **_ruled(record)}


def decision_row(record: AuditRecord) -> dict[str, object]:
    """What a person said."""
    entry = record.entry
    inputs = table(entry.details.get("inputs"))
    return {**_base(record), "decision": entry.kind, "outcome": short(entry.outcome), "approval": short(entry.subject),
            "requester": short(entry.details.get("requester")), "digest": short(entry.details.get("digest")),
            "rule": short(entry.details.get("rule")), "note": short(inputs.get("note"))}


def trial_row(record: AuditRecord) -> dict[str, object]:
    """A verdict, by what a receipt of it would name."""
    entry = record.entry
    tamper = entry.details.get("tamper")
    return {**_base(record), "trial": short(entry.subject), "verdict": short(entry.outcome),
            "change": short(table(entry.details.get("inputs")).get("change")), "tree": short(entry.details.get("tree")),
            "level": short(entry.details.get("level")), "tamper": len(tamper) if isinstance(tamper, list) else 0}


def redaction_row(record: AuditRecord) -> dict[str, object]:
    """What was taken out, by whom, and why."""
    names = record.entry.details.get("names")
    return {**_base(record), "of": short(record.entry.subject), "reason": short(record.entry.details.get("reason")),
            "names": [short(name) for name in names[:20]] if isinstance(names, list) else []}


def checkpoint_row(record: AuditRecord) -> dict[str, object]:
    """A checkpoint that was sent elsewhere, or could not be."""
    return {"seq": record.seq, "time": record.time, "to": short(record.entry.subject),
            "outcome": short(record.entry.outcome)}


def clock_row(record: AuditRecord) -> dict[str, object]:
    """A clock that stood before that of the record before."""
    return {"seq": record.seq, "time": record.time, "seconds": record.clock_back}
