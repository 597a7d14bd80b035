"""Moving the oldest records out of the live store into sealed segments, and what a killed process left undone.

What holds: at every moment each record is whole in the store, or whole in a segment, or both. First the segments are
written, waited for and named; then a record says so; only then are headers and details cleared in the store. Leaf and
nodes stay there, so that proofs, heads and checkpoints go on as before. ``tidy`` ends what was begun. Nothing is sealed
that is not what the tree says. What does not hold: clearing gives no room back to the file system at once; the file is
used again by the records that come.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.store.audit import filters, form, merkle
from windtunnel.store.audit.encryption import EncryptionKey
from windtunnel.store.audit.keeping_state import KeepingState, is_within, keeping_state
from windtunnel.store.audit.log import AuditLog
from windtunnel.store.audit.note import SecretKey
from windtunnel.store.audit.segment import MOST_RECORDS, Stored
from windtunnel.store.audit.segment_writing import DRAFT, head_of, write_segment
from windtunnel.store.audit.segments import Segments, Span
from windtunnel.store.audit.shelf import Row
from windtunnel.store.audit.sqlite_shelf import SqliteShelf

_BATCH = 500
_MOST_BYTES = 16 * 1024**2
"""Of the records of one segment, which are in memory while it is written; the last of them may go beyond."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealing:
    """What was sealed."""

    segments: tuple[str, ...] = ()
    """Names of files."""
    first: int = 0
    records: int = 0
    stored_bytes: int = 0
    """What the segments take."""
    record: int = -1
    """The record that says so; -1 where nothing was sealed."""
    more: bool = False
    """Whether there is more to seal than this call was allowed to."""


def seal(
    log: AuditLog, *, before: str = "", keep_live: int = 1, signer: SecretKey, key: EncryptionKey | None = None,
    actor: str, most: int | None = None, tell: Callable[[str], object] = str,
) -> Sealing:
    """Seal the oldest records: those written ``before`` a time, never the last ``keep_live``.

    With a ``key`` they are encrypted. At most so many segments are made; ``tell`` hears of each.
    """
    if keep_live < 0:
        raise UsageError(f"keep-live: {keep_live} is not a number of records", field="keep-live")
    local_segments(log)
    # Acts of dead processes are ended first: whether their records are there is asked of what is live.
    log.repair()
    with log.segments.alone():
        state = tidy(log)
        begins, below = log.shelf.begins(), log.size - keep_live
        made: list[Path] = []
        chunks = _chunks(log, begins, below, before=before)
        for chunk in chunks:
            if len(made) == most:
                return _ended(log, made, state, first=begins, actor=actor, more=True)
            made.append(_write(log, chunk, signer=signer, key=key))
            tell(f"sealed the records {chunk[0][0]} to {chunk[-1][0]}")
        return _ended(log, made, state, first=begins, actor=actor, more=False)


def local_segments(log: AuditLog) -> Segments:
    """The folder of segments; a typed error where the rows lie where others read them without it."""
    if not isinstance(log.shelf.live, SqliteShelf):
        raise UsageError(f"audit: records in {log.shelf.where} are read by other machines too, which would not find "
                         "segments in a folder of this one; seal only a log in a file", field="audit_store")
    return log.segments


def tidy(log: AuditLog) -> KeepingState:
    """End what a killed process left: drafts, segments that no record speaks of, rows and files that one says are gone.

    Only while the folder is held.
    """
    state, segments = keeping_state(log.shelf.live), log.segments
    for draft in segments.folder.glob(f"*{DRAFT}"):
        draft.unlink(missing_ok=True)
    for span in segments.spans():
        begins = log.shelf.begins()
        if is_within(span.first, span.last, state.removed):
            span.path.unlink(missing_ok=True)
        elif span.first == begins and span.last < state.sealed:
            _check_same(log, span)
            log.shelf.clear(span.first, span.last)
        elif span.first >= begins and _is_live(log, span):
            span.path.unlink(missing_ok=True)
    segments.close()
    return state


def _check_same(log: AuditLog, span: Span) -> None:
    """That a segment holds exactly what is about to be cleared."""
    rows = iter(_live_rows(log, span.first, span.last + 1))
    for seq, header, details in log.segments.opened(span.path).records():
        row = next(rows, None)
        if row is None or row[1] is None or (row[0], row[1].encode(), row[2]) != (seq, header, details):
            raise SandboxFailure(f"the segment {span.path.name} is not what the store holds of record {seq}; move the "
                                 "file away, and the records are sealed anew")


def _is_live(log: AuditLog, span: Span) -> bool:
    """Whether the store itself has all of these, so that the segment is not needed."""
    places = [row[0] for row in _live_rows(log, span.first, span.last + 1) if row[1] is not None]
    return places == list(range(span.first, span.last + 1))


def _live_rows(log: AuditLog, start: int, below: int) -> Iterator[Row]:
    """What the store itself has, whatever segments there are."""
    while start < below and (batch := log.shelf.live.rows(start, min(_BATCH, below - start))):
        yield from (row for row in batch if row[0] < below)
        start = batch[-1][0] + 1


def _chunks(log: AuditLog, start: int, below: int, *, before: str) -> Iterator[list[Stored]]:
    """The records to seal, in lots of one segment each."""
    chunk: list[Stored] = []
    size = 0
    for row in _live_rows(log, start, below):
        header, details = _whole(row)
        if before and filters.value_of(header.decode(), "time") >= before:
            break
        chunk.append((row[0], header, details))
        size += len(header) + len(details)
        if len(chunk) == MOST_RECORDS or size >= _MOST_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _whole(row: Row) -> tuple[bytes, bytes]:
    """A record as it is in the tree: what was changed must not come under a new signature."""
    seq, text, details, leaf, _ = row
    try:
        header, packed = (text or "").encode(), details or b""
        good = merkle.leaf_hash(header) == leaf and header.endswith(form.suffix_of(form.hash_of(packed)))
    except (ValueError, IndexError):
        good = False
    if not good:
        raise SandboxFailure(f"record {seq} is not what was written, and is not sealed (windtunnel audit verify)")
    return header, packed


def _write(log: AuditLog, chunk: list[Stored], *, signer: SecretKey, key: EncryptionKey | None) -> Path:
    first, last = chunk[0][0], chunk[-1][0]
    before = log.shelf.tree(first - 1) if first else None
    head = head_of(chunk, root=log.head(last + 1)[1], previous=before[0].hex() if before else form.FIRST, signer=signer)
    return write_segment(log.segments.folder, head, chunk, signer=signer, key=key)


def _ended(log: AuditLog, made: list[Path], state: KeepingState, *, first: int, actor: str, more: bool) -> Sealing:
    """Say what was sealed, and clear it in the store."""
    if not made:
        return Sealing(first=first, more=more)
    spans = [span for span in log.segments.spans() if span.path in set(made)]
    last = spans[-1].last
    stored = sum(span.path.stat().st_size for span in spans)
    record = log.append(replace(state, sealed=last + 1).entry(
        "seal", actor=actor, about=f"{first}-{last}", first=first, last=last, bytes=stored,
        segments=[span.path.name for span in spans]))
    for span in spans:
        log.shelf.clear(span.first, span.last)
    return Sealing(segments=tuple(span.path.name for span in spans), first=first, records=last + 1 - first,
                   stored_bytes=stored, record=record.seq, more=more)
