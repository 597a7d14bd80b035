"""Reading back what a dead sandbox left, without following anything it planted.

Every step goes by directory descriptor and refuses links; only regular files are opened, and without waiting.
Bounded in entries, depth and bytes, so that a deep tree, a million names or a terabyte of holes costs little.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from typing import Literal

from windtunnel.core.effects import FileEffect
from windtunnel.core.result import Artifact

_MOST_ENTRIES = 1000
_MOST_DEPTH = 32
_MOST_BYTES = 256 * 1024**2
_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def survey(folders: dict[str, int], *, apart_from: Sequence[str] = ()) -> tuple[tuple[FileEffect, ...], int]:
    """What is below each named folder, apart from our own mount points, and how many entries were left out."""
    found: list[FileEffect] = []
    omitted = 0
    for prefix, descriptor in folders.items():
        for path, info in _walk(descriptor, prefix):
            if any(f"{own}/".startswith(f"{path}/") for own in apart_from):
                continue
            if len(found) < _MOST_ENTRIES:
                found.append(FileEffect(path=path, kind=_kind(info.st_mode), size=info.st_size))
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
            return {name: Artifact(data=_read(top, room), executable=bool(info.st_mode & 0o111))}
        for path, entry in _walk(top, ""):
            # By size, not by blocks: a hole is read as zeros, and they would be ours to hold.
            if stat.S_ISREG(entry.st_mode) and entry.st_size <= room and len(read) < _MOST_ENTRIES:
                data = _read_below(top, path.lstrip("/"), room)
                room -= len(data)
                read[path.lstrip("/")] = Artifact(data=data, executable=bool(entry.st_mode & 0o111))
    finally:
        os.close(top)
    return read


def _walk(top: int, prefix: str) -> Iterator[tuple[str, os.stat_result]]:
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
                    info = os.stat(entry.name, dir_fd=folder, follow_symlinks=False)
                    path = f"{below}/{entry.name}"
                    yield prefix + path, info
                    if stat.S_ISDIR(info.st_mode) and depth < _MOST_DEPTH:
                        pending.append((path, depth + 1))
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


def _read_below(top: int, path: str, room: int) -> bytes:
    descriptor = _open_below(top, path)
    try:
        return _read(descriptor, room)
    finally:
        os.close(descriptor)


def _read(descriptor: int, room: int) -> bytes:
    parts = []
    while room > 0 and (data := os.read(descriptor, min(room, 1 << 20))):
        parts.append(data)
        room -= len(data)
    return b"".join(parts)


def _kind(mode: int) -> Literal["file", "folder", "link", "other"]:
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "folder"
    return "link" if stat.S_ISLNK(mode) else "other"
