"""One finished cycle as one line of JSON, with its number and a checksum, by which half a line is known for one.

The checksum is the first 16 hexadecimal digits of SHA-256 of the line without it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from windtunnel.core.errors import SandboxFailure, UsageError

Record = Mapping[str, Any]
"""What a cycle gave, as JSON."""
MOST_RECORD = 8 * 1024**2
"""Bytes of one line."""
_CHECK_LETTERS = 16
_BEGIN = b'{"check":"'
_BODY = len(_BEGIN) + _CHECK_LETTERS + 2
"""Where the rest of a line begins, without its bracket."""


def line_of(cycle: int, told: Record) -> bytes:
    """With its end; the same record always gives the same bytes."""
    try:
        body = json.dumps({"cycle": cycle, "told": told}, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"record: cycle {cycle} cannot be written as JSON: {error} (numbers must be finite)",
                         field="record") from error
    line = _BEGIN + _check(body.encode()) + b'",' + body.encode()[1:] + b"\n"
    if len(line) > MOST_RECORD:
        raise UsageError(f"record: cycle {cycle} takes {len(line)} bytes (at most {MOST_RECORD})", field="record")
    return line


def _is_whole(line: bytes) -> bool:
    check, rest = line[len(_BEGIN):_BODY - 2], b"{" + line[_BODY:-1]
    return line.endswith(b"\n") and line.startswith(_BEGIN) and check == _check(rest)


def records_in(path: Path) -> tuple[list[Record], int]:
    """The finished cycles, and the length of the file up to the last of them; what is behind it was torn off.

    Only the last append can be torn: a bad line with good ones behind it is damage, and refused.
    """
    found: list[Record] = []
    end = 0
    with path.open("rb") as file:
        for line in _lines(file):
            if not _is_whole(line):
                _check_last(file, path, len(found))
                break
            found.append(_told(line, path, len(found)))
            end += len(line)
    return found, end


def _lines(file: IO[bytes]) -> Iterator[bytes]:
    while line := file.readline(MOST_RECORD + 1):
        yield line


def _told(line: bytes, path: Path, cycle: int) -> Record:
    """What a whole line says; no crash leaves one that says something else than it should."""
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        told = None
    record = told.get("told") if isinstance(told, dict) else None
    if not isinstance(told, dict) or not isinstance(record, dict) or told.get("cycle") != cycle:
        what = told.get("cycle") if isinstance(told, dict) else None
        raise SandboxFailure(f"{path}: cycle {what!r:.40} stands where {cycle} should (restore the file, or begin a "
                             "new run)")
    return record


def _check_last(file: IO[bytes], path: Path, cycle: int) -> None:
    for line in _lines(file):
        if _is_whole(line):
            raise SandboxFailure(f"{path}: the record of cycle {cycle} is damaged and others stand behind it; it was "
                                 "not torn off by a crash (restore the file, or begin a new run)")


def _check(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest()[:_CHECK_LETTERS].encode()
