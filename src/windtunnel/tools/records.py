"""Rows about what was done: history, receipts, audit log."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, Field

from windtunnel.core.audit import AuditQuery
from windtunnel.core.errors import NotFound
from windtunnel.core.plain import plain
from windtunnel.tools.row import Context, Given, Told, Tool
from windtunnel.tools.shaping import lines

_EVERYBODY = "audit"


class GetHistory(Given):
    """One entry, or the latest."""

    id: str = Field(default="", max_length=100, description="Of a run or trial; without it, the latest.")
    limit: int = Field(default=20, ge=1, le=200)


class Entry(BaseModel):
    """One run or trial."""

    id: str
    timestamp: str
    what: str
    ended: str
    seconds: float | None = None
    details: dict[str, Any] = Field(default_factory=dict)


class History(Told):
    """Newest first."""

    entries: list[Entry]


class GetReceipt(Given):
    """Which trial."""

    trial: str = Field(max_length=100, description="The id that try_changes or apply_changes gave.")


class Receipt(Told):
    """A signed statement."""

    receipt: str = Field(description="A DSSE envelope; verify_receipt and windtunnel receipt verify read it.")


class VerifyReceipt(Given):
    """A receipt as text."""

    receipt: str = Field(max_length=4_000_000)


class Verified(Told):
    """What a receipt says, if it is good."""

    signer: str
    trial: str
    change: str
    tree: str
    verdict: str
    time: str


class AuditLog(Given):
    """Which records."""

    kind: str = Field(default="", max_length=60, description="run, trial, apply, undo …")
    outcome: str = Field(default="", max_length=60)
    text: str = Field(default="", max_length=200, description="Stands somewhere in the record.")
    everybody: bool = Field(default=False, description="Also what others did; needs the permission audit.")
    limit: int = Field(default=20, ge=1, le=200)


class Record(BaseModel):
    """One record."""

    seq: int
    time: str
    actor: str
    kind: str
    outcome: str
    subject: str
    project: str
    details: str


class Records(Told):
    """Newest first."""

    records: list[Record]


def _history(context: Context, given: GetHistory) -> History:
    history = context.tunnel.history
    if history is None:
        return History(reason="The history is switched off on this server.", entries=[])
    if given.id:
        found = history.get(given.id) or history.trial(given.id)
        if found is None:
            raise NotFound(f"id: no run or trial {given.id[:100]!r} of yours", field="id")
        return History(reason="One entry.", entries=[_entry(found, whole=True)])
    rows = sorted((*history.recent(given.limit), *history.trials(given.limit)),
                  key=lambda row: str(row["timestamp"]), reverse=True)[: given.limit]
    return History(reason=f"The latest {len(rows)} runs and trials of yours.", entries=[_entry(row) for row in rows],
                   next="Give an id to see one whole.")


def _entry(row: Any, *, whole: bool = False) -> Entry:  # noqa: ANN401 -- a row of either table
    trial = "verb" in row
    what = f"{row['verb']} {row['project']}" if trial else f"run {row['language']}"
    details = json.loads(json.dumps(dict(row), default=plain)) if whole else {}
    return Entry(id=str(row["id"]), timestamp=str(row["timestamp"]), what=what[:300], details=details,
                 ended=str(row["verdict"] if trial else row["reason"]), seconds=row["execution_time"])


def _receipt(context: Context, given: GetReceipt) -> Receipt:
    found = None if context.papers is None else context.papers.get(
        context.caller.user, kind="receipt", name=given.trial)
    if found is None:
        raise NotFound(f"trial: no receipt of a trial {given.trial[:100]!r} of yours", field="trial")
    return Receipt(reason="The signed statement of the trial.", receipt=found)


def _verify(context: Context, given: VerifyReceipt) -> Verified:
    from windtunnel.engine.audit import trail_in  # noqa: PLC0415 -- few calls need it
    from windtunnel.engine.receipt import check_receipt  # noqa: PLC0415

    settings = context.tunnel.settings
    found = check_receipt(given.receipt, trail_in(settings.state_dir, settings.audit_store).keys.public())
    return Verified(reason=f"Signed by {found.signer}; the verdict was {found.verdict}.", **{
        name: getattr(found, name) for name in ("signer", "trial", "change", "tree", "verdict", "time")})


def _audit(context: Context, given: AuditLog) -> Records:
    from windtunnel.store.audit.query import find  # noqa: PLC0415 -- few calls need it

    if given.everybody:
        context.caller.check(_EVERYBODY)
    query = AuditQuery(actor="" if given.everybody else context.caller.user, kind=given.kind, outcome=given.outcome,
                       text=given.text, limit=given.limit, newest_first=True)
    found = [record for record in find(context.tunnel.audit, query)
             if given.everybody or record.entry.actor == context.caller.user]
    return Records(reason=f"{len(found)} records, newest first.", records=[
        Record(seq=one.seq, time=one.time, actor=one.entry.actor, kind=one.entry.kind, outcome=one.entry.outcome,
               subject=one.entry.subject, project=one.entry.project,
               details=lines(json.dumps(dict(one.entry.details), default=plain), most=600)) for one in found])


ROWS = (
    Tool(name="get_history", title="History", permission="", given=GetHistory, told=History, act=_history,
         read_only=True, idempotent=True,
         description="Your latest runs and trials, or one of them whole by its id."),
    Tool(name="get_receipt", title="Receipt of a trial", permission="", given=GetReceipt, told=Receipt, act=_receipt,
         read_only=True, idempotent=True,
         description="The signed statement of one of your trials: what was tried, under what walls, what was found. "
         "Hand it to whoever must not take your word for it."),
    Tool(name="verify_receipt", title="Verify a receipt", permission="", given=VerifyReceipt, told=Verified,
         act=_verify, read_only=True, idempotent=True,
         description="Whether a receipt was signed by this server, and what it says."),
    Tool(name="audit_log", title="Audit log", permission="", given=AuditLog, told=Records, act=_audit, read_only=True,
         idempotent=True,
         description="What you did here, as it stands in the audit log, newest first; with everybody and the "
         "permission audit, what all did."),
)
