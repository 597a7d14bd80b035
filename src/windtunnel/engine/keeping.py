"""Files before and after an act: by their hashes in the record, with their contents beside it."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from windtunnel.checks.project import Folder
from windtunnel.engine.particulars import digest
from windtunnel.store.audit.blobs import not_kept

_MOST_FILES = 1000
_MOST_BYTES = 4 * 1024**2
"""Of a larger file only the hash is kept, and its record says so."""


def looked_at(root: Path, paths: Collection[str]) -> tuple[dict[str, object], list[bytes]]:
    """The hash of each file by its path, None where there is none; and the contents for the log's store."""
    folder = Folder(root)
    told: dict[str, object] = {}
    contents: list[bytes] = []
    for path in sorted(paths)[:_MOST_FILES]:
        data = folder.read(path)
        if data is not None and len(data) >= _MOST_BYTES:
            told[path] = not_kept(folder.digest(path) or "")
        elif data is None:
            told[path] = None
        else:
            told[path] = digest(data)
            contents.append(data)
    return told, contents
