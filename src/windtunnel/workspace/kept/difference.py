"""What is different between two trees of a workspace, as a change set.

A file that both share is the same without being read. Caches, virtual environments and ``node_modules`` are no part of
a change, which is noted, and neither are links, empty folders and what git keeps for itself.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.core.errors import UsageError
from windtunnel.workspace import beneath
from windtunnel.workspace.paths import check_path
from windtunnel.workspace.tree import CACHES

_APART = CACHES | {"node_modules", ".git"}
_MOST_FILES, _MOST_BYTES = 10_000, 256 * 1024**2
_MOST_NOTES = 20


def difference(before: Path, after: Path) -> ChangeSet:
    """What makes the one out of the other."""
    notes: list[str] = []
    old, new = _files(before, notes), _files(after, notes)
    changes: list[FileChange] = []
    size = 0
    with beneath.opened(before) as old_root, beneath.opened(after) as new_root:
        for path in sorted(old.keys() | new.keys()):
            change = _change(path, old.get(path), new.get(path), roots=(old_root, new_root))
            changes += [change] if change is not None else []
            size += len(change.data) if change is not None else 0
            if len(changes) > _MOST_FILES or size > _MOST_BYTES:
                raise UsageError(f"workspace: more than {_MOST_FILES} files or {_MOST_BYTES} bytes differ; look at "
                                 "them one by one, or remove what is not meant", field="workspace")
    return ChangeSet(changes=tuple(changes), notes=tuple(dict.fromkeys(notes))[:_MOST_NOTES])


def _change(
    path: str, old: os.stat_result | None, new: os.stat_result | None, *, roots: tuple[int, int],
) -> FileChange | None:
    if new is None:
        return FileChange(path, "delete")
    if old is not None and (old.st_dev, old.st_ino) == (new.st_dev, new.st_ino):
        return None
    found = beneath.read(roots[1], path)
    assert found is not None
    data, mode = found
    if old is None:
        return FileChange(path, "create", data, mode & 0o777)
    same_mode = stat.S_IMODE(old.st_mode) & 0o777 == mode & 0o777
    if same_mode and old.st_size == new.st_size and (beneath.read(roots[0], path) or (b"",))[0] == data:
        return None
    return FileChange(path, "modify", data, None if same_mode else mode & 0o777)


def _files(top: Path, notes: list[str]) -> dict[str, os.stat_result]:
    """Plain files by their paths."""
    found: dict[str, os.stat_result] = {}
    for path, info in _walk(top, notes):
        try:
            found[check_path(path)] = info
        except UsageError:
            notes.append(f"{path!a}: not told, since no change may have such a name")
    return found


def _walk(top: Path, notes: list[str]) -> Iterator[tuple[str, os.stat_result]]:
    for folder, folders, files in os.walk(top):
        below = os.path.relpath(folder, top)
        prefix = "" if below == "." else f"{below}/"
        apart = {name for name in folders if name in _APART or (Path(folder) / name / "pyvenv.cfg").exists()}
        notes.extend(f"{prefix}{name}: not told" for name in sorted(apart - CACHES - {".git"}))
        folders[:] = [name for name in folders if name not in apart]
        for name in files:
            info = os.lstat(os.path.join(folder, name))  # noqa: PTH118 -- a walk speaks in text
            if stat.S_ISREG(info.st_mode) and name not in _APART:
                yield prefix + name, info
