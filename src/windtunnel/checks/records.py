r"""Sealed records taken out of a program's standard output while it runs.

A record is one line: ``\x1e``, 32 hexadecimal digits of HMAC-SHA256 over the JSON, a blank, one line of ASCII JSON.
What holds: text that a program prints is never taken for a record, a record is taken once and in order, and an
unfinished one can neither hide the next nor make this side hold more than 64 KiB. What does not hold: code that finds
the sealing function inside its own process can use it; the runner's own checks and the tamper gate look for that.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Callable
from typing import Any

MARK = b"\x1e"
MOST_PENDING_BYTES = 64 * 1024
"""An unfinished record longer than this is the program's own output; ours are below 4 KiB."""

_HEAD = re.compile(rb"\x1e[0-9a-f]{32} \{")
_HEAD_BYTES = 35
_FOREIGN = re.compile(rb"[^\x20-\x7e]")
"""The first byte that cannot stand in our JSON: the end of the line, or a sign that someone wrote in between."""


class Records:
    """The records of one run, as its output comes in piece by piece."""

    def __init__(self, key: str, *, on_record: Callable[[dict[str, Any]], None] | None = None) -> None:
        """Records sealed with ``key`` are believed; with an empty key none is."""
        self.records: list[dict[str, Any]] = []
        self.forged = 0
        """Lines in the shape of a record with a wrong seal or number, or cut in two."""
        self.on_record = on_record
        self._key = key.encode()
        self._pending = b""
        self._number = 0

    def feed(self, data: bytes) -> bytes:
        """Take the next piece of output; gives back what is not ours, in order, to be shown as the program's."""
        if not self._pending and MARK not in data:
            return data
        data, self._pending = self._pending + data, b""
        shown: list[bytes] = []
        place = 0
        while (mark := data.find(MARK, place)) >= 0:
            shown.append(data[place:mark])
            place = self._take(data, mark, shown)
            if place < 0:
                return b"".join(shown)
        shown.append(data[place:])
        return b"".join(shown)

    def finish(self) -> bytes:
        """What was held back, once no more output can come: an unfinished record counts as forged."""
        rest, self._pending = self._pending, b""
        self.forged += _HEAD.match(rest) is not None
        return rest

    def _take(self, data: bytes, mark: int, shown: list[bytes]) -> int:
        """Handle what begins with the mark; returns where to go on, or -1 when the rest must wait for more."""
        if _HEAD.match(data, mark) is None:
            if _may_become_head(data[mark : mark + _HEAD_BYTES]):
                self._pending = data[mark:]
                return -1
            shown.append(MARK)
            return mark + 1
        end = _FOREIGN.search(data, mark + 1)
        if end is None and len(data) - mark <= MOST_PENDING_BYTES:
            self._pending = data[mark:]
            return -1
        stop = len(data) if end is None else end.start()
        if end is not None and end.group() == b"\n" and self._believe(data[mark + 1 : stop]):
            return stop + 1
        self.forged += 1
        shown.append(data[mark:stop])
        return stop

    def _believe(self, line: bytes) -> bool:
        """Keep the record if its seal and number are right."""
        text = line[33:]
        seal = hmac.new(self._key, text, hashlib.sha256).hexdigest()[:32]
        if not self._key or not hmac.compare_digest(seal.encode(), line[:32]):
            return False
        record = _parse(text)
        if record is None or record["n"] < self._number:
            return False
        self.forged += record["n"] > self._number  # one of ours was lost on the way: said, not passed over
        self._number = record["n"] + 1
        self.records.append(record)
        if self.on_record is not None:
            self.on_record(record)
        return True


def _may_become_head(piece: bytes) -> bool:
    """Whether these bytes, which end where the output ends so far, could still become the head of a record."""
    if len(piece) >= _HEAD_BYTES:
        return False
    return _HEAD.match(piece + b"\x1e00000000000000000000000000000000 {"[len(piece) :]) is not None


def _parse(text: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return None
    number = record.get("n") if isinstance(record, dict) else None
    if not isinstance(number, int) or isinstance(number, bool) or not isinstance(record.get("kind"), str):
        return None
    return record  # type: ignore[no-any-return]  # json.loads gives Any; the line above saw a dictionary
