"""Finding records: by when, who, what, how it ended, where, and by words.

What holds: the columns that are searched are read from the very header that the tree holds, so that a query cannot say
other things than the record. Records come in batches; memory does not grow with the log.
"""

from __future__ import annotations

from collections.abc import Iterator

from windtunnel.core.audit import AuditQuery, AuditRecord
from windtunnel.core.errors import UsageError
from windtunnel.store.audit import form
from windtunnel.store.audit.log import AuditLog

GROUPS = ("actor", "kind", "outcome", "project", "session", "day", "hour")
_EQUAL = ("actor", "kind", "outcome", "project", "parent", "session")
_BATCH = 500
_GROUP_COLUMNS = {"day": "substr(time, 1, 10)", "hour": "substr(time, 1, 13)"}


def find(log: AuditLog, query: AuditQuery) -> Iterator[AuditRecord]:
    """Those that match, oldest first unless asked otherwise."""
    log.settle()
    left, last = query.limit, None
    while left is None or left > 0:
        most = _BATCH if left is None else min(left, _BATCH)
        rows = _batch(log, query, last=last, most=most)
        for _, header, details in rows:
            yield form.record_of(header.encode(), details)
        if len(rows) < most:
            return
        left, last = None if left is None else left - len(rows), rows[-1][0]


def count(log: AuditLog, query: AuditQuery, by: str) -> dict[str, int]:
    """How many match, by one of ``GROUPS``; the most first."""
    if by not in GROUPS:
        raise UsageError(f"group-by: {by!r} is none of {', '.join(GROUPS)}", field="group-by")
    log.settle()
    column = _GROUP_COLUMNS.get(by, by)
    where, values = _where(query, last=None)
    rows = log.database.do(lambda connection: connection.execute(
        f"SELECT {column}, count(*) FROM records WHERE {where} GROUP BY 1 ORDER BY 2 DESC, 1",  # noqa: S608 -- from tables here
        values).fetchall())
    return {str(name): int(number) for name, number in rows}


def _batch(log: AuditLog, query: AuditQuery, *, last: int | None, most: int) -> list[tuple[int, str, bytes]]:
    where, values = _where(query, last=last)
    order = "DESC" if query.newest_first else "ASC"
    return log.database.do(lambda connection: connection.execute(
        f"SELECT seq, header, details FROM records WHERE {where} ORDER BY seq {order} LIMIT {most}",  # noqa: S608 -- as above
        values).fetchall())


def _where(query: AuditQuery, *, last: int | None) -> tuple[str, list[object]]:
    parts: list[str] = ["seq > ?"]
    values: list[object] = [query.after]
    if last is not None:
        parts.append("seq < ?" if query.newest_first else "seq > ?")
        values.append(last)
    for name in _EQUAL:
        if value := getattr(query, name):
            parts.append(f"{name} = ?")
            values.append(value)
    if query.since:
        parts.append("time >= ?")
        values.append(query.since)
    if query.until:
        parts.append("time < ?")
        values.append(query.until)
    if query.id:
        parts.append("(id GLOB ? OR subject GLOB ?)")
        values += [f"{_literal(query.id)}*"] * 2
    if query.text:
        parts.append("(instr(header, ?) OR instr(details, ?))")
        values += [query.text, query.text.encode()]
    return " AND ".join(parts), values


def _literal(text: str) -> str:
    """With nothing in it that GLOB would take for a pattern."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in text)
