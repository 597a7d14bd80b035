"""Legal holds: records that nobody may redact or remove until the hold is released.

What holds: holds are part of the log itself, in the newest record about keeping, and each is laid and released by a
record of its own. A hold covers what its query means, also what is recorded later. What does not hold: it binds this
program, not somebody who may write the files; a checkpoint kept elsewhere shows that.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from windtunnel.core.audit import AuditQuery, AuditRecord
from windtunnel.core.errors import UsageError
from windtunnel.store.audit.keeping_state import KINDS, Hold, KeepingState, keeping_state
from windtunnel.store.audit.log import AuditLog

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_MOST_REASON = 2000


class Held(UsageError):
    """A legal hold forbids it; the message names the hold."""

    code = "held"

    def __init__(self, message: str, *, hold: str) -> None:
        """Keep the name, for machines."""
        super().__init__(message, field="hold")
        self.hold = hold


def holds(log: AuditLog) -> tuple[Hold, ...]:
    """Those in force, in the order in which they were laid."""
    log.settle()
    return keeping_state(log.shelf.live).holds


def add_hold(log: AuditLog, name: str, query: AuditQuery, *, reason: str, actor: str) -> AuditRecord:
    """Lay a hold on what the query means; the record that says so."""
    if not _NAME.fullmatch(name):
        raise UsageError(f"hold: {name[:100]!r} is not a name (letters, digits and ._-, at most 100)", field="hold")
    why = _reason(reason)
    made = Hold(name=name, reason=why, actor=actor, query=query)

    def add(state: KeepingState) -> KeepingState:
        if any(hold.name == name for hold in state.holds):
            raise UsageError(f"hold: {name!r} is in force already (windtunnel audit hold list)", field="hold")
        return replace(state, holds=(*state.holds, made))

    return _changed(log, add, actor=actor, act="add", hold=name, reason=why)


def release_hold(log: AuditLog, name: str, *, reason: str, actor: str) -> AuditRecord:
    """Let go of what it held; the record that says so."""
    why = _reason(reason)

    def release(state: KeepingState) -> KeepingState:
        left = tuple(hold for hold in state.holds if hold.name != name)
        if len(left) == len(state.holds):
            known = ", ".join(hold.name for hold in state.holds) or "none"
            raise UsageError(f"hold: there is no {name[:100]!r} (in force: {known})", field="hold")
        return replace(state, holds=left)

    return _changed(log, release, actor=actor, act="release", hold=name, reason=why)


def check_not_held(log: AuditLog, seq: int) -> None:
    """Refuse to change a record that is held, or that says what is held, sealed and removed."""
    found = log.raw(seq)
    record = log.get(seq)
    if found is None or record is None:
        return
    if record.entry.kind in KINDS:
        raise UsageError(f"entry: record {seq} says what was sealed, removed or held, and must stay", field="entry")
    for hold in holds(log):
        if hold.covers(seq, *found):
            raise Held(f"record {seq} is held by {hold.name!r}: {hold.reason}", hold=hold.name)


def _changed(
    log: AuditLog, change: Callable[[KeepingState], KeepingState], *, actor: str, hold: str, **details: object,
) -> AuditRecord:
    """Write what the change makes of the state; from the beginning where another machine changed it meanwhile."""
    log.settle()
    with log.segments.alone():
        while True:
            state = change(keeping_state(log.shelf.live))
            made = log.append_once(state.entry("hold", actor=actor, about=hold, hold=hold, **details))
            if made is not None:
                return made


def _reason(reason: str) -> str:
    if not reason.strip():
        raise UsageError("reason: say why; it is written down", field="reason")
    return reason[:_MOST_REASON]
