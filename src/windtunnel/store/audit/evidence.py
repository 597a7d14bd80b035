"""One stretch of the log with what proves, without the log, that nothing in it was changed or left out.

What holds: the stretch is held against a signed checkpoint, so every record in it is the one that was written, at its
place, and none is missing between its first and its last. The records just before and after it stand in it too, by
their headers, so that one left out at an edge is found. Records that were not asked for stand in it by their headers
alone. What does not hold: a record far from the stretch whose clock was wrong may carry a time that belongs into it.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from windtunnel.core.audit import AuditQuery, AuditRecord
from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.store.audit import form, merkle
from windtunnel.store.audit.checkpoint import Checkpoint
from windtunnel.store.audit.envelope import decoded
from windtunnel.store.audit.log import AuditLog
from windtunnel.store.audit.query import find

FORM = "windtunnel-evidence-1"
MOST_LINE = 64 * 1024**2
"""Bytes of one line; twice what the largest record takes."""
_MOST_STEPS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One record as evidence."""

    seq: int
    leaf: bytes
    header: bytes | None
    """None where retention removed it, and only its hash is left."""
    details: bytes | None = None
    """None where it was not asked for."""
    record: AuditRecord | None = None
    """What can be read of it; without details where they are not here."""

    def line(self) -> str:
        """As one line of ASCII JSON."""
        if self.header is None:
            return json.dumps({"seq": self.seq, "leaf": self.leaf.hex()})
        told = {"header": self.header.decode()}
        return json.dumps(told if self.details is None else {**told, "details": _encoded(self.details)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Records from ``begin`` up to and without ``stop``, and how their hashes lead to the head of a log."""

    begin: int
    stop: int
    peaks: tuple[bytes, ...]
    """The whole subtrees before the stretch, from left to right."""
    consistency: tuple[bytes, ...]
    """That the log of the checkpoint begins with all up to ``stop``."""

    def to_json(self) -> str:
        """As one JSON object."""
        return json.dumps({"form": FORM, "begin": self.begin, "stop": self.stop, "peaks": [
            _encoded(one) for one in self.peaks], "consistency": [_encoded(one) for one in self.consistency]}, indent=1)


def stretch(log: AuditLog, *, since: str, until: str, size: int) -> Stretch:
    """The records of a span of time in the log of that size, and one more on either side."""
    query = AuditQuery(since=since, until=until, limit=1)
    oldest = next(find(log, query), None)
    newest = next(find(log, AuditQuery(since=since, until=until, limit=1, newest_first=True)), None)
    if oldest is None or newest is None or oldest.seq >= size:
        later = next(find(log, AuditQuery(since=until, limit=1)), None) if until else None
        first = end = min(size, later.seq) if later is not None else size
    else:
        first, end = oldest.seq, min(newest.seq + 1, size)
    begin, stop = max(first - 1, 0), min(end + 1, size)
    # The way of a last record to its head is made of the whole subtrees before it.
    peaks = log.inclusion(begin, begin + 1) if begin < stop else []
    return Stretch(begin=begin, stop=stop, peaks=tuple(reversed(peaks)), consistency=tuple(log.consistency(stop, size)))


def pieces(log: AuditLog, part: Stretch, asked: Callable[[AuditRecord], bool]) -> Iterator[Piece]:
    """All of the stretch, one after the other; with the details of those that were asked for."""
    wanted = part.begin
    if part.begin == part.stop:
        return
    for seq, text, packed, leaf, _ in log.rows(part.begin):
        if seq != wanted:
            raise SandboxFailure(f"the audit log has no record {wanted} (windtunnel audit verify says more)")
        yield _piece(seq, text, packed, leaf=leaf, asked=asked)
        wanted += 1
        if wanted == part.stop:
            return
    raise SandboxFailure(f"the audit log ends before record {wanted} (windtunnel audit verify says more)")


def _piece(
    seq: int, text: str | None, packed: bytes | None, *, leaf: bytes, asked: Callable[[AuditRecord], bool],
) -> Piece:
    if text is None:
        return Piece(seq=seq, leaf=leaf, header=None)
    header = text.encode()
    try:
        record = form.record_of(header, packed or b"")
        if asked(record):
            return Piece(seq=seq, leaf=leaf, header=header, details=packed or b"", record=record)
        return Piece(seq=seq, leaf=leaf, header=header, record=form.record_of(header, b""))
    except ValueError as error:
        raise SandboxFailure(f"record {seq} cannot be read (windtunnel audit verify says more)") from error


class Walk:
    """Takes the lines of a stretch, one by one, and says what is wrong with them by typed errors."""

    def __init__(self, part: Stretch) -> None:
        """Begin where the stretch begins."""
        levels = [level for level, _ in merkle.peaks(part.begin)]
        if len(levels) != len(part.peaks):
            raise _wrong("the subtrees before the first record are not as many as there must be")
        self.part, self.seq = part, part.begin
        self._peaks: merkle.Peaks = tuple(zip(levels, part.peaks, strict=True))
        self._previous: str | None = None if part.begin else form.FIRST

    def add(self, line: str) -> Piece:
        """The next record."""
        try:
            piece = self._read(json.loads(line))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise _wrong(f"record {self.seq} cannot be read: {error}") from error
        if piece.line() != line:
            raise _wrong(f"the line of record {self.seq} is not as it is written")
        self._peaks, _ = merkle.grown(self._peaks, piece.leaf)
        self.seq, self._previous = self.seq + 1, piece.leaf.hex()
        return piece

    def _read(self, told: Mapping[str, Any]) -> Piece:
        if "leaf" in told:
            leaf = bytes.fromhex(told["leaf"])
            if told["seq"] != self.seq or len(leaf) != merkle.HASH_BYTES:
                raise ValueError("not the hash of that record")
            return Piece(seq=self.seq, leaf=leaf, header=None)
        header, details = told["header"].encode("ascii"), told.get("details")
        packed = None if details is None else decoded(details)
        record = form.record_of(header, packed or b"")
        if record.seq != self.seq:
            raise ValueError(f"at its place stands record {record.seq}; one was left out, moved or doubled")
        if self._previous not in (None, record.previous):
            raise ValueError("it does not follow on the record before")
        if packed is not None and form.hash_of(packed) != record.details_hash:
            raise ValueError("its details are not those that it vouches for")
        return Piece(seq=self.seq, leaf=merkle.leaf_hash(header), header=header, details=packed, record=record)

    def end(self, checkpoint: Checkpoint) -> None:
        """Hold all of it against the log that the checkpoint is about."""
        part = self.part
        if self.seq != part.stop:
            raise _wrong(f"it ends before record {self.seq}, and should hold all before record {part.stop}")
        hashes = dict(self._peaks)
        root = merkle.head(part.stop, lambda level, _: hashes[level])
        if not merkle.is_consistent(first=part.stop, second=checkpoint.size, old=root, new=checkpoint.root,
                                    proof=part.consistency):
            raise _wrong("the records are not those of the log that the checkpoint is about")


def read_stretch(text: str) -> Stretch:
    """A stretch as it was written; a typed error for anything else."""
    try:
        told = json.loads(text)
        begin, stop = told["begin"], told["stop"]
        if told["form"] != FORM or type(begin) is not int or type(stop) is not int or not 0 <= begin <= stop:
            raise ValueError("another form, or no places")  # noqa: TRY301 -- one way out for all that is wrong with it
        part = Stretch(begin=begin, stop=stop, peaks=_hashes(told["peaks"]), consistency=_hashes(told["consistency"]))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise _wrong(f"not a stretch of the form {FORM}: {error}") from error
    return part


def _hashes(told: Sequence[object]) -> tuple[bytes, ...]:
    if not isinstance(told, list) or len(told) > _MOST_STEPS:
        raise ValueError("not a list of hashes")
    return tuple(decoded(one) for one in told)


def _wrong(why: str) -> UsageError:
    return UsageError(f"evidence: {why}", field="evidence")


def _encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()
