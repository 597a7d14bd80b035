"""Files before and after an act: by their hashes in the record, with their contents beside it."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from windtunnel.checks.project import Folder
from windtunnel.engine.particulars import digest
from windtunnel.store.audit.blobs import keep
from windtunnel.store.audit.log import AuditLog

_MOST_FILES = 1000
_MOST_BYTES = 4 * 1024**2
"""Of a larger file only the hash is kept."""


def kept(log: AuditLog, root: Path, paths: Collection[str]) -> dict[str, object]:
    """The hash of each file by its path, None where there is none; the contents go into the log's store."""
    folder = Folder(root)
    found = {path: folder.read(path) for path in sorted(paths)[:_MOST_FILES]}
    keep(log, [data for data in found.values() if data is not None and len(data) <= _MOST_BYTES])
    return {path: None if data is None else digest(data) for path, data in found.items()}
