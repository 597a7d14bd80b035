"""``windtunnel audit log|show|export``: reading the audit log."""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from windtunnel.cli.render import clean, json_text, table
from windtunnel.core.audit import AuditQuery, AuditRecord
from windtunnel.core.errors import UsageError

if TYPE_CHECKING:
    from windtunnel.engine.audit import Trail

_SPAN = re.compile(r"([0-9]{1,6})([smhdw])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_HASH = re.compile(r"[0-9a-f]{8,64}")
_FOLLOW_SECONDS = 0.5
_FORMS = ("jsonl", "csv", "cef", "syslog", "ocsf")
_GROUPS = ("actor", "kind", "outcome", "project", "session", "day", "hour")


def add(acts: Any) -> None:  # noqa: ANN401 -- argparse's own
    """Their arguments."""
    made = acts.add_parser("log", help="records, newest first")
    add_query(made)
    made.add_argument("-n", "--limit", type=int, default=50, metavar="N", help="how many (default 50)")
    made.add_argument("--follow", action="store_true", help="go on with those that come, until interrupted")
    made.add_argument("--group-by", choices=_GROUPS, help="how many there are of each instead")
    made.add_argument("--json", action="store_true", help="as JSON; with --follow one line for each")
    made.set_defaults(act=_log, interrupted="interrupted")
    made = acts.add_parser("show", help="one record, whole")
    made.add_argument("entry", help="its number, or the id of an act, a run or a trial, or how it begins")
    made.add_argument("--content", metavar="HASH|PATH", help="instead the bytes of a file that it names: by its path "
                      "as the act left it (as it was, where it is gone), or by its hash")
    made.add_argument("--json", action="store_true", help="as JSON (so it is anyway)")
    made.set_defaults(act=_show)
    made = acts.add_parser("export", help="records in a form that other systems read, oldest first")
    add_query(made)
    made.add_argument("--format", choices=_FORMS, default="jsonl", help="one line for each record (default jsonl)")
    made.set_defaults(act=_export, json=False)


def add_query(made: argparse.ArgumentParser) -> None:
    """Which records."""
    made.add_argument("--since", metavar="TIME", help="a time (2026-01-31, 2026-01-31T12:00Z) or a span (90s, 1h, 7d)")
    made.add_argument("--until", metavar="TIME", help="up to, and not with")
    for name in ("actor", "kind", "outcome", "project", "parent", "session"):
        made.add_argument(f"--{name}", default="", help=f"only of this {name}")
    made.add_argument("--text", default="", metavar="WORDS", help="only records in which this stands")


def trail(*, reading: bool = False) -> Trail:
    """The log that the settings name; for a verb that only reads also one that cannot be written, which is told."""
    from windtunnel import config  # noqa: PLC0415 -- each command loads only what it uses
    from windtunnel.engine.audit import trail_in  # noqa: PLC0415

    settings = config.load()
    return trail_in(settings.state_dir, settings.audit_store, reading=_tell if reading else None)


def _tell(line: str) -> None:
    print(clean(line), file=sys.stderr)


def _log(chosen: argparse.Namespace) -> int:
    from windtunnel.store.audit.query import count, find  # noqa: PLC0415

    log, query = trail(reading=True).log, query_of(chosen)
    if chosen.limit < 0:
        raise UsageError(f"--limit: {chosen.limit} is not a number of records", field="--limit")
    if chosen.group_by:
        found = count(log, query, chosen.group_by)
        rows = [[name or "-", str(number)] for name, number in found.items()]
        print(json_text(found) if chosen.json else table(rows, head=[chosen.group_by, "records"]))
        return 0
    latest = list(find(log, _with(query, limit=chosen.limit, newest_first=True)))
    if not chosen.follow:
        _print(latest, as_json=chosen.json)
        return 0
    _follow(log, query, latest, as_json=chosen.json)
    return 0


def _follow(log: Any, query: AuditQuery, latest: list[AuditRecord], *, as_json: bool) -> None:  # noqa: ANN401 -- an AuditLog
    from windtunnel.store.audit.query import find  # noqa: PLC0415

    last = latest[0].seq if latest else log.size - 1
    for record in reversed(latest):
        _line(record, as_json=as_json)
    while True:
        for record in find(log, _with(query, after=last)):
            _line(record, as_json=as_json)
            last = record.seq
        time.sleep(_FOLLOW_SECONDS)


def _line(record: AuditRecord, *, as_json: bool) -> None:
    from windtunnel.store.audit.export import jsonl  # noqa: PLC0415

    print(jsonl(record) if as_json else "  ".join(map(clean, _row(record))), flush=True)


def _print(records: list[AuditRecord], *, as_json: bool) -> None:
    if as_json:
        from windtunnel.store.audit.export import plain_record  # noqa: PLC0415

        print(json_text([plain_record(record) for record in records]))
        return
    head = ["no", "when", "kind", "outcome", "actor", "project", "about"]
    print(table([_row(record) for record in records], head=head))


def _row(record: AuditRecord) -> list[str]:
    entry = record.entry
    return [str(record.seq), record.time[:19].replace("T", " "), entry.kind, entry.outcome, entry.actor,
            entry.project or "-", (entry.subject or entry.id)[:12]]


def _show(chosen: argparse.Namespace) -> int:
    from windtunnel.store.audit.export import plain_record  # noqa: PLC0415

    found = trail(reading=True)
    record = found.entry(chosen.entry)
    if chosen.content is not None:
        sys.stdout.buffer.write(_content(found, record, chosen.content))
        return 0
    print(json_text(plain_record(record)))
    return 0


def _content(found: Trail, record: AuditRecord, wanted: str) -> bytes:
    """One kept content that a record names; bounded by what is ever kept."""
    from windtunnel.store.audit.blobs import content, named  # noqa: PLC0415

    known = list(named(record))
    by_hash = _HASH.fullmatch(wanted) is not None
    hashes = [hash_ for path, hash_ in known if path == wanted or (by_hash and hash_.startswith(wanted))]
    if not hashes:
        names = ", ".join(dict.fromkeys(path for path, _ in known))[:500] or "none"
        raise UsageError(f"--content: record {record.seq} names no kept content of {wanted[:80]!r} (it has {names})",
                         field="--content")
    data = content(found.log, hashes[0])
    if data is None:
        raise UsageError(f"--content: {hashes[0][:12]} is not there any more (windtunnel audit verify)",
                         field="--content")
    return data


def _export(chosen: argparse.Namespace) -> int:
    from windtunnel.store.audit.export import lines  # noqa: PLC0415
    from windtunnel.store.audit.query import find  # noqa: PLC0415

    records: Iterator[AuditRecord] = find(trail(reading=True).log, query_of(chosen))
    for line in lines(records, chosen.format):
        sys.stdout.write(f"{line}\n")
    return 0


def query_of(chosen: argparse.Namespace) -> AuditQuery:
    """What the options of ``add_query`` mean."""
    return AuditQuery(
        since=moment(chosen.since, field="--since"), until=moment(chosen.until, field="--until"), actor=chosen.actor,
        kind=chosen.kind, outcome=chosen.outcome, project=chosen.project, parent=chosen.parent, session=chosen.session,
        text=chosen.text)


def _with(query: AuditQuery, **fields: Any) -> AuditQuery:  # noqa: ANN401 -- fields of a query
    from dataclasses import replace  # noqa: PLC0415

    return replace(query, **fields)


def moment(text: str | None, *, field: str) -> str:
    """A time as the log writes it, from a time or a span as people write them."""
    if not text:
        return ""
    span = _SPAN.fullmatch(text)
    try:
        ago = timedelta(**{_UNITS[span[2]]: int(span[1])}) if span else None
        when = datetime.now(UTC) - ago if ago is not None else datetime.fromisoformat(text)
    except (ValueError, OverflowError) as error:
        raise UsageError(f"{field}: {text[:60]!r} is no time (try 1h, 7d or 2026-01-31T12:00Z)", field=field) from error
    aware = when if when.tzinfo is not None else when.replace(tzinfo=UTC)
    return aware.astimezone(UTC).isoformat(timespec="microseconds")
