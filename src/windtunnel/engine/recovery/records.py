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


def told_in(line: bytes) -> Record | None:
    """What a line says; none where it is not a whole one."""
    check, rest = line[len(_BEGIN):_BODY - 2], b"{" + line[_BODY:-1]
    if not line.endswith(b"\n") or not line.startswith(_BEGIN) or check != _check(rest):
        return None
    found: Record = json.loads(rest)
    return found


def records_in(path: Path) -> tuple[list[Record], int]:
    """The finished cycles, and the length of the file up to the last of them; what is behind it was torn off.

    Only the last append can be torn: a bad line with good ones behind it is damage, and refused.
    """
    found: list[Record] = []
    end = 0
    with path.open("rb") as file:
        for line in _lines(file):
            told = told_in(line)
            if told is None:
                _check_last(file, path, len(found))
                break
            if told.get("cycle") != len(found):
                raise SandboxFailure(f"{path}: cycle {told.get('cycle')!r:.40} stands where {len(found)} should "
                                     "(restore the file, or begin a new run)")
            found.append(told["told"])
            end += len(line)
    return found, end


def _lines(file: IO[bytes]) -> Iterator[bytes]:
    while line := file.readline(MOST_RECORD + 1):
        yield line


def _check_last(file: IO[bytes], path: Path, cycle: int) -> None:
    for line in _lines(file):
        if told_in(line) is not None:
            raise SandboxFailure(f"{path}: the record of cycle {cycle} is damaged and others stand behind it; it was "
                                 "not torn off by a crash (restore the file, or begin a new run)")


def _check(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest()[:_CHECK_LETTERS].encode()
