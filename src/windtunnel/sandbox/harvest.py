"""Reading back what a dead sandbox left, without following anything it planted.

Every step goes by directory descriptor and refuses links; only regular files are opened, and without waiting.
Bounded in entries, depth and bytes, so that a deep tree, a million names or a terabyte of holes costs little.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator, Sequence
from typing import Literal

from windtunnel.core.effects import FileEffect
from windtunnel.core.result import Artifact

_MOST_ENTRIES = 1000
_MOST_DEPTH = 32
_EMPTY = 40
"""The size of a tmpfs folder with nothing in it; spares the usual run a look inside."""
_MOST_BYTES = 256 * 1024**2
_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def survey(folders: dict[str, int], *, apart_from: Sequence[str] = ()) -> tuple[tuple[FileEffect, ...], int]:
    """What is below each named folder, apart from our own mount points, and how many entries were left out."""
    found: list[FileEffect] = []
    omitted = 0
    for prefix, descriptor in folders.items():
        if os.fstat(descriptor).st_size <= _EMPTY:
            continue
        for path, info in _walk(descriptor, prefix, apart_from=apart_from):
            if info is not None and len(found) < _MOST_ENTRIES:
                found.append(FileEffect(path=_shown(path), kind=_kind(info.st_mode), size=info.st_size))
            else:
                omitted += 1
            if omitted > 100 * _MOST_ENTRIES:
                return tuple(found), omitted
    return tuple(found), omitted


def read_tree(folder: int, name: str, *, most_bytes: int) -> dict[str, Artifact]:
    """The regular files below one named entry of a folder, by relative path; what does not fit is left out."""
    read: dict[str, Artifact] = {}
    room = min(most_bytes, _MOST_BYTES)
    try:
        top = os.open(name, _OPEN, dir_fd=folder)
    except OSError:
        return read
    try:
        info = os.fstat(top)
        if stat.S_ISREG(info.st_mode):
            return _one(name, top, info, room=room)
        for path, entry in _walk(top, ""):
            # By size, not by blocks: a hole is read as zeros, and they would be ours to hold.
            if entry is None or not stat.S_ISREG(entry.st_mode) or entry.st_size > room or len(read) >= _MOST_ENTRIES:
                continue
            with contextlib.suppress(OSError):
                read |= (taken := _read_below(top, path.lstrip("/"), room=room))
                room -= sum(len(artifact.data) for artifact in taken.values())
    finally:
        os.close(top)
    return read


def _walk(
    top: int, prefix: str, *, apart_from: Sequence[str] = (),
) -> Iterator[tuple[str, os.stat_result | None]]:
    """Every entry, with None for a folder that lies too deep to be entered."""
    pending = [("", 0)]
    while pending:
        below, depth = pending.pop()
        try:
            folder = _open_below(top, below) if below else os.open(".", _OPEN | os.O_DIRECTORY, dir_fd=top)
        except OSError:
            continue
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    path = f"{below}/{entry.name}"
                    own = [mine for mine in apart_from if f"{mine}/".startswith(f"{prefix}{path}/")]
                    info = os.stat(entry.name, dir_fd=folder, follow_symlinks=False)
                    if not own:
                        yield prefix + path, info
                    if stat.S_ISDIR(info.st_mode) and prefix + path not in own:
                        if depth < _MOST_DEPTH:
                            pending.append((path, depth + 1))
                        else:
                            yield prefix + path, None
        except OSError:
            continue
        finally:
            os.close(folder)


def _open_below(top: int, path: str) -> int:
    """Open by single steps, none of which may be a link."""
    folder = os.dup(top)
    for step in path.strip("/").split("/"):
        try:
            deeper = os.open(step, _OPEN, dir_fd=folder)
        finally:
            os.close(folder)
        folder = deeper
    return folder


def _read_below(top: int, path: str, *, room: int) -> dict[str, Artifact]:
    descriptor = _open_below(top, path)
    try:
        return _one(path, descriptor, os.fstat(descriptor), room=room)
    finally:
        os.close(descriptor)


def _one(name: str, descriptor: int, info: os.stat_result, *, room: int) -> dict[str, Artifact]:
    """The file by its name, or nothing when it is no plain file any more or does not fit."""
    if not stat.S_ISREG(info.st_mode) or info.st_size > room:
        return {}
    return {name: Artifact(data=_read(descriptor, room), executable=bool(info.st_mode & 0o111))}


def _read(descriptor: int, room: int) -> bytes:
    parts = []
    while room > 0 and (data := os.read(descriptor, min(room, 1 << 20))):
        parts.append(data)
        room -= len(data)
    return b"".join(parts)


def _shown(path: str) -> str:
    """A path as text that every encoder takes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _kind(mode: int) -> Literal["file", "folder", "link", "other"]:
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "folder"
    return "link" if stat.S_ISLNK(mode) else "other"
