"""Removing what is older than it has to be kept: whole segments, never what is held.

What holds: a record of the log says what is removed before it is; leaf and nodes of the removed records stay, so that
every proof and checkpoint of what remains holds, and ``verify`` tells what was removed apart from what is missing.
Contents that only removed records spoke of go with them. What does not hold: copies made before, exports and backups
among them, still have it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from windtunnel.store.audit import filters
from windtunnel.store.audit.keeping_state import Hold, KeepingState, Range, joined, keeping_state
from windtunnel.store.audit.log import AuditLog
from windtunnel.store.audit.private import sync_folder
from windtunnel.store.audit.sealing import local_segments, tidy
from windtunnel.store.audit.segments import Span

_HASH = re.compile(rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_PAGE = 50_000
"""Contents that are looked at in one reading of the log."""
_TRIES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldSegment:
    """What stays though it is old."""

    first: int
    last: int
    hold: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """What was removed, or would be."""

    removed: tuple[Range, ...] = ()
    """By the first and the last record of each stretch."""
    records: int = 0
    held: tuple[HeldSegment, ...] = ()
    blobs: int = 0
    """How many contents went with them."""
    blobs_left: bool = False
    """Whether contents were left for the next time, because acts were under way."""
    record: int = -1
    """The record that says so; -1 where nothing was removed."""
    unsealed: bool = False
    """Whether there are records as old that were never sealed, and stay."""


def retain(
    log: AuditLog, *, before: str, actor: str, dry_run: bool = False, tell: Callable[[str], object] = str,
) -> Retention:
    """Remove the segments whose newest record was written ``before`` that time, but none of which a record is held."""
    segments = local_segments(log)
    log.settle()
    if dry_run:
        removed, held = _old(log, keeping_state(log.shelf.live), before=before)
        return _told(log, removed, held, before=before)
    log.repair()
    with segments.alone():
        state = tidy(log)
        removed, held = _old(log, state, before=before)
        record = _remove(log, state, removed, held=held, before=before, actor=actor, tell=tell) if removed else -1
        blobs, left = drop_unspoken(log) if removed or state.removed else (0, False)
    return replace(_told(log, removed, held, before=before), blobs=blobs, blobs_left=left, record=record)


def _remove(
    log: AuditLog, state: KeepingState, removed: Sequence[Span], *, held: Sequence[HeldSegment], before: str,
    actor: str, tell: Callable[[str], object],
) -> int:
    """Say what is removed, then remove it."""
    ranges = joined([(span.first, span.last) for span in removed])
    record = log.append(replace(state, removed=joined([*state.removed, *ranges])).entry(
        "retain", actor=actor, about=f"{ranges[0][0]}-{ranges[-1][1]}", before=before,
        ranges=[list(one) for one in ranges], held=[[one.first, one.last, one.hold] for one in held]))
    log.segments.close()
    for span in removed:
        span.path.unlink(missing_ok=True)
        tell(f"removed the records {span.first} to {span.last}")
    sync_folder(log.segments.folder)
    return record.seq


def _told(log: AuditLog, removed: Sequence[Span], held: Sequence[HeldSegment], *, before: str) -> Retention:
    ranges = joined([(span.first, span.last) for span in removed])
    oldest = log.shelf.live.row(log.shelf.begins())
    unsealed = oldest is not None and filters.value_of(oldest[1] or "", "time") < before
    return Retention(removed=ranges, records=sum(last + 1 - first for first, last in ranges), held=tuple(held),
                     unsealed=unsealed)


def _old(log: AuditLog, state: KeepingState, *, before: str) -> tuple[list[Span], list[HeldSegment]]:
    """The segments that are old enough, without and with those that a hold covers."""
    removed, held, begins = [], [], log.shelf.begins()
    for span in log.segments.spans():
        if span.last >= begins or log.segments.opened(span.path).head.newest >= before:
            continue
        hold = _holding(log, span, state.holds)
        if hold is None:
            removed.append(span)
        else:
            held.append(HeldSegment(first=span.first, last=span.last, hold=hold.name))
    return removed, held


def _holding(log: AuditLog, span: Span, holds: Sequence[Hold]) -> Hold | None:
    if not holds:
        return None
    records = log.segments.opened(span.path).records()
    return next((hold for one in records for hold in holds if hold.covers(*one)), None)


def drop_unspoken(log: AuditLog) -> tuple[int, bool]:
    """Drop the contents that no record speaks of; how many, and whether some were left because acts were under way.

    An act keeps contents before its record is written, so that nothing is dropped while one is under way.
    """
    dropped, after = 0, ""
    while page := log.shelf.blob_hashes(after, _PAGE):
        after = page[-1]
        unspoken, size = set(page), 0
        for _ in range(_TRIES):
            size = _strike(log, unspoken, size)
            if not unspoken:
                break
            if log.shelf.drop_blobs(sorted(unspoken), size=size, unless=log.intents.under_way):
                dropped += len(unspoken)
                break
        else:
            return dropped, True
    return dropped, False


def _strike(log: AuditLog, hashes: set[str], start: int) -> int:
    """Strike out those that the details from this record on speak of; where the log ended then."""
    for row in log.rows(start):
        hashes.difference_update(found.decode() for found in _HASH.findall(row[2] or b""))
        start = row[0] + 1
    return start
