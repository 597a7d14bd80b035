"""Contents that records speak of, each kept once, by its hash."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Sequence

from windtunnel.core.errors import SandboxFailure
from windtunnel.store.audit.log import AuditLog


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
        data = zlib.decompress(packed)
    except zlib.error:
        data = b""
    if hashlib.sha256(data).hexdigest() != hash_:
        raise SandboxFailure(f"the audit log's copy of {hash_[:12]} was changed")
    return data
