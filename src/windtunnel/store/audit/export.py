r"""Records in the forms that other systems read: JSON Lines, CSV, CEF, syslog (RFC 5424) and OCSF.

What holds: one record is one line in every form, whatever its fields hold, because what could end a line or a field is
escaped as the form says.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from datetime import datetime

from windtunnel.core.audit import AuditRecord

_COLUMNS = ("seq", "time", "kind", "outcome", "actor", "session", "parent", "project", "subject", "id", "hash")
_BAD = {"failed", "refused", "not good", "denied", "lost", "error"}
_ENTERPRISE = 32473
"""The number that RFC 5612 keeps for examples; we have none of our own."""
_VENDOR, _PRODUCT = "Windtunnel", "Windtunnel"
_CATEGORY_APPLICATION, _CLASS_API = 6, 6003
_ACTIVITIES = {"run": 1, "trial": 2, "apply": 3, "undo": 3}
_UNPRINTABLE = re.compile(r"[^\x20-\x7e]")


def plain_record(record: AuditRecord) -> dict[str, object]:
    """As one flat object; the details beside the rest."""
    entry = record.entry
    told: dict[str, object] = {"seq": record.seq, "time": record.time, **{
        name: getattr(entry, name) for name in _COLUMNS[2:-1]}, "hash": record.hash, "previous": record.previous,
        "details": dict(entry.details)}
    if record.redacted:
        told["redacted"] = list(record.redacted)
    if record.clock_back:
        told["clock_back"] = record.clock_back
    return told


def jsonl(record: AuditRecord) -> str:
    """One line of ASCII JSON."""
    return json.dumps(plain_record(record))


def csv_row(record: AuditRecord) -> str:
    """Comma-separated; the details as JSON in the last column. No cell begins a formula."""
    told = plain_record(record)
    cells = [_cell(str(told[name])) for name in _COLUMNS]
    made = io.StringIO()
    csv.writer(made, lineterminator="").writerow([*cells, json.dumps(told["details"])])
    return made.getvalue()


def cef(record: AuditRecord) -> str:
    """ArcSight's Common Event Format, version 0."""
    entry = record.entry
    head = [_VENDOR, _PRODUCT, "1", entry.kind, f"{entry.kind} {entry.outcome}", str(_severity(record))]
    fields = {
        "rt": str(int(datetime.fromisoformat(record.time).timestamp() * 1000)), "externalId": str(record.seq),
        "suser": entry.actor, "outcome": entry.outcome, "act": entry.kind, "filePath": entry.project,
        "cs1Label": "session", "cs1": entry.session, "cs2Label": "hash", "cs2": record.hash, "cs3Label": "subject",
        "cs3": entry.subject, "msg": json.dumps(entry.details)}
    told = " ".join(f"{name}={_cef_value(value)}" for name, value in fields.items() if value)
    return "CEF:0|" + "|".join(_cef_head(word) for word in head) + f"|{told}"


def syslog(record: AuditRecord) -> str:
    """RFC 5424, facility 13 (log audit), with the fields as structured data and the details as the message."""
    entry = record.entry
    priority = 13 * 8 + (4 if entry.outcome in _BAD else 6)
    fields = {"seq": str(record.seq), "actor": entry.actor, "outcome": entry.outcome, "session": entry.session,
              "project": entry.project, "subject": entry.subject, "hash": record.hash}
    data = " ".join(f'{name}="{_sd_value(value)}"' for name, value in fields.items())
    message = re.sub(r"[^\x21-\x7e]", "?", entry.kind)[:32] or "-"
    stamp = record.time.replace("+00:00", "Z")
    return f"<{priority}>1 {stamp} - windtunnel - {message} [record@{_ENTERPRISE} {data}] {json.dumps(entry.details)}"


def ocsf(record: AuditRecord) -> str:
    """Open Cybersecurity Schema Framework: one API Activity event."""
    entry, bad = record.entry, record.entry.outcome in _BAD
    activity = _ACTIVITIES.get(entry.kind, 99)
    return json.dumps({
        "activity_id": activity, "category_uid": _CATEGORY_APPLICATION, "class_uid": _CLASS_API,
        "type_uid": _CLASS_API * 100 + activity, "severity_id": 3 if bad else 1,
        "status_id": 2 if bad else 1, "status": entry.outcome,
        "time": int(datetime.fromisoformat(record.time).timestamp() * 1000),
        "actor": {"user": {"name": entry.actor}, "session": {"uid": entry.session}},
        "api": {"operation": entry.kind, "request": {"uid": entry.id}},
        "metadata": {"version": "1.3.0", "uid": record.hash, "sequence": record.seq,
                     "product": {"name": _PRODUCT, "vendor_name": _VENDOR}},
        "src_endpoint": {"name": "localhost"}, "unmapped": {
            "project": entry.project, "subject": entry.subject, "parent": entry.parent, "details": entry.details}})


FORMS: dict[str, Callable[[AuditRecord], str]] = {
    "jsonl": jsonl, "csv": csv_row, "cef": cef, "syslog": syslog, "ocsf": ocsf}


def lines(records: Iterator[AuditRecord], form: str) -> Iterator[str]:
    """Every record as one line; a head first where the form has one."""
    if form == "csv":
        yield ",".join([*_COLUMNS, "details"])
    yield from map(FORMS[form], records)


def _severity(record: AuditRecord) -> int:
    return 6 if record.entry.outcome in _BAD else 2


def _cell(text: str) -> str:
    """A spreadsheet takes these for the beginning of a formula."""
    escaped = text.encode("unicode_escape").decode()
    return f"'{escaped}" if escaped[:1] in ("=", "+", "-", "@") else escaped


def _cef_head(text: str) -> str:
    return _ascii(text.replace("\\", "\\\\").replace("|", "\\|"))


def _cef_value(text: str) -> str:
    return _ascii(text.replace("\\", "\\\\").replace("=", "\\="))


def _sd_value(text: str) -> str:
    return _ascii(re.sub(r'([\\\]"])', r"\\\1", text))


def _ascii(text: str) -> str:
    """What could end a line, or is no ASCII, by its number."""
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
