"""Taking out what must not stay, so that every proof still holds.

What holds: the value of a detail is overwritten in the file, its hash stays, the header and all proofs are as before; a
record of its own says who took out what, and why. What does not hold: copies made before, exports and backups among
them, still have it.
"""

from __future__ import annotations

from collections.abc import Sequence

from windtunnel.core.audit import AuditEntry, AuditRecord
from windtunnel.core.errors import UsageError
from windtunnel.store.audit import form
from windtunnel.store.audit.hold import check_not_held
from windtunnel.store.audit.log import AuditLog


def redact(log: AuditLog, seq: int, names: Sequence[str], *, actor: str, reason: str) -> AuditRecord:
    """Take these details out of one record; the record that says so."""
    record = log.get(seq)
    if record is None:
        raise UsageError(f"entry: there is no record {seq}", field="entry")
    for name in names:
        if name not in record.entry.details:
            gone = " any more" if name in record.redacted else ""
            known = ", ".join(record.entry.details) or "none"
            raise UsageError(f"detail: record {seq} has no {name!r}{gone} (it has {known})", field="detail")
    check_not_held(log, seq)
    if not names or not reason.strip():
        raise UsageError("reason: say which details to take out, and why", field="reason")
    made = log.append(AuditEntry(kind="redact", outcome="done", actor=actor, parent=record.entry.id,
                                 subject=str(seq), details={"names": list(names), "reason": reason[:2000]}))
    log.shelf.overwrite(seq, lambda packed: form.redact(packed, frozenset(names)))
    return made
