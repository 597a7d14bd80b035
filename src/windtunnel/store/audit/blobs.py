"""Contents that records speak of, each kept once, by its hash.

What holds: the hash is in the record, so that a content which was changed or is gone is found by ``verify``, unless the
record itself says that it was never kept. What does not hold: a record from which these details were taken out speaks
of none any more.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence

from windtunnel.core.audit import AuditRecord
from windtunnel.core.errors import SandboxFailure
from windtunnel.store.audit.log import AuditLog

KINDS = ("apply", "undo", "recover")
"""The acts whose records name files by their contents before and after."""
MOST_BYTES = 64 * 1024**2
"""Of one content; far more than is ever kept, so that a small lie cannot fill the memory."""
_PARTS = ("after", "before")
_HASH = re.compile(r"[0-9a-f]{64}")


def keep(log: AuditLog, contents: Sequence[bytes]) -> None:
    """Keep them; what is there already stays."""
    rows = [(hashlib.sha256(data).hexdigest(), zlib.compress(data)) for data in contents]
    if rows:
        log.shelf.keep_blobs(rows)


def content(log: AuditLog, hash_: str) -> bytes | None:
    """What was kept under this hash; a typed error where it is not that any more."""
    packed = log.shelf.blob(hash_)
    if packed is None:
        return None
    try:
        data = zlib.decompressobj().decompress(packed, MOST_BYTES)
    except zlib.error:
        data = None
    if data is None or hashlib.sha256(data).hexdigest() != hash_:
        raise SandboxFailure(f"the audit log's copy of {hash_[:12]} was changed")
    return data


def not_kept(hash_: str) -> dict[str, object]:
    """What a record says of a file whose content was too large to keep."""
    return {"hash": hash_, "kept": False}


def named(record: AuditRecord) -> Iterator[tuple[str, str]]:
    """Path and hash of each content that a record says was kept, as it became first."""
    if record.entry.kind not in KINDS:
        return
    for part in _PARTS:
        told = record.entry.details.get(part)
        for path, hash_ in told.items() if isinstance(told, Mapping) else ():
            if isinstance(hash_, str) and _HASH.fullmatch(hash_):
                yield str(path), hash_
