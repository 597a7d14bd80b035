"""Finding records: by when, who, what, how it ended, where, and by words.

What holds: what is searched is the very header that the tree holds, so that a query cannot say other things than the
record (``filters``). Records come in batches; memory does not grow with the log.
"""

from __future__ import annotations

from collections.abc import Iterator

from windtunnel.core.audit import AuditQuery, AuditRecord
from windtunnel.store.audit import form
from windtunnel.store.audit.filters import GROUPS, check_group
from windtunnel.store.audit.log import AuditLog
from windtunnel.store.audit.shelf import check_kinds, unreadable

__all__ = ["GROUPS", "count", "find"]
_BATCH = 500


def find(log: AuditLog, query: AuditQuery) -> Iterator[AuditRecord]:
    """Those that match, oldest first unless asked otherwise."""
    log.settle()
    left, last = query.limit, None
    while left is None or left > 0:
        most = _BATCH if left is None else min(left, _BATCH)
        rows = log.shelf.find(query, last=last, most=most)
        for seq, header, details in rows:
            yield _record(seq, header, details)
        if len(rows) < most:
            return
        left, last = None if left is None else left - len(rows), rows[-1][0]


def _record(seq: int, header: str, details: bytes) -> AuditRecord:
    check_kinds(seq, header, details)
    try:
        return form.record_of(header.encode(), details)
    except ValueError as error:
        raise unreadable(seq) from error


def count(log: AuditLog, query: AuditQuery, by: str) -> dict[str, int]:
    """How many match, by one of ``GROUPS``; the most first."""
    check_group(by)
    log.settle()
    found = log.shelf.count(query, by)
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))
