"""Whether the contents that records speak of are still what they were.

What holds: every content that an apply or an undo names is there, and is what its hash says, and so is every other that
lies in the store. Contents that retention removed were named by removed records alone, which are not read.
"""

from __future__ import annotations

from windtunnel.core.errors import SandboxFailure
from windtunnel.store.audit import form
from windtunnel.store.audit.blobs import KINDS, content, named
from windtunnel.store.audit.fault import Fault
from windtunnel.store.audit.log import AuditLog
from windtunnel.store.audit.shelf import Row

_PAGE = 1000
_MARKS = tuple(f'"kind":"{kind}"' for kind in KINDS)
"""As they stand in a header; within a field the quotes would be escaped."""


def spoken(log: AuditLog, row: Row, seen: set[str]) -> Fault | None:
    """What is wrong with the contents that one whole record names; those that were ``seen`` are not read again."""
    seq, header, details = row[:3]
    if header is None or details is None or not any(mark in header for mark in _MARKS):
        return None
    try:
        record = form.record_of(header.encode(), details)
    except ValueError:
        return Fault(seq=seq, kind="damaged", message=f"the details of record {seq} cannot be read")
    for path, hash_ in named(record):
        if hash_ in seen:
            continue
        seen.add(hash_)
        try:
            if content(log, hash_) is None:
                return Fault(seq=seq, kind="deleted", message=(
                    f"the content {hash_[:12]} of {path}, which record {seq} names, is missing"))
        except SandboxFailure:
            return Fault(seq=seq, kind="edited", message=(
                f"the content {hash_[:12]} of {path}, which record {seq} names, was changed"))
    return None


def stray(log: AuditLog, seen: set[str]) -> Fault | None:
    """What is wrong with the contents that no record names: an act keeps them before its record is written."""
    after = ""
    while page := log.shelf.blob_hashes(after, _PAGE):
        after = page[-1]
        for hash_ in page:
            try:
                if hash_ not in seen:
                    content(log, hash_)
            except SandboxFailure:
                return Fault(seq=-1, kind="edited", message=f"the kept content {hash_[:12]} was changed")
    return None
