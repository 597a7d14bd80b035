"""Reading back what a dead sandbox left, without following anything it planted.

Every step goes by directory descriptor and refuses links; only regular files are opened, and without waiting.
Bounded in entries, depth and bytes, so that a deep tree, a million names or a terabyte of holes costs little.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO, Literal, Protocol

from windtunnel.core.effects import FileEffect
from windtunnel.core.result import Artifact
from windtunnel.sandbox.layer import WORKSPACE, Change, Copy, Layer, leads_inside

if TYPE_CHECKING:
    from windtunnel.core.ports import Job

_MOST_ENTRIES = 1000
MOST_LAYER_ENTRIES = 50_000
"""Told and read back of a workspace."""
MOST_DEPTH = 32
"""A folder with so many above it is not looked into."""
_EMPTY = 40
"""The size of a tmpfs folder with nothing in it; spares the usual run a look inside."""
_MOST_BYTES = 256 * 1024**2
_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def survey(
    folders: dict[str, int], *, apart_from: Sequence[str] = (), lower: str | None = None, copied: bool = False,
) -> tuple[tuple[FileEffect, ...], int]:
    """What is below each named folder, apart from our own mount points, and how many entries were left out.

    Of a workspace, what differs from the folder ``lower`` that lies below it, or that it was copied from.
    """
    found: list[FileEffect] = []
    omitted = 0
    for prefix, descriptor in folders.items():
        if os.fstat(descriptor).st_size <= _EMPTY:
            continue
        effects = (_layer_effects(descriptor, lower, copied=copied) if prefix == WORKSPACE and lower is not None
                   else _plain_effects(descriptor, prefix, apart_from=apart_from))
        most = len(found) + (MOST_LAYER_ENTRIES if prefix == WORKSPACE else _MOST_ENTRIES)
        for effect in effects:
            if effect is not None and len(found) < most:
                found.append(effect)
            else:
                omitted += 1
            if omitted > 100 * _MOST_ENTRIES:
                return tuple(found), omitted
    return tuple(found), omitted


def _plain_effects(descriptor: int, prefix: str, *, apart_from: Sequence[str]) -> Iterator[FileEffect | None]:
    for path, info in _walk(descriptor, prefix, apart_from=apart_from):
        yield None if info is None else FileEffect(
            path=_shown(path), kind=_kind(info.st_mode), size=info.st_size, mode=stat.S_IMODE(info.st_mode))


def _layer_effects(upper: int, lower: str, *, copied: bool) -> Iterator[FileEffect | None]:
    """Made, changed or deleted, entry by entry; folders that merely hold a change are none."""
    room = _MOST_BYTES
    with (Copy if copied else Layer)(upper, lower) as layer:
        for found in _acts(layer, upper):
            if found is None:
                yield None
                continue
            name, act, seen = found
            there = act != "deleted"
            hashed = there and stat.S_ISREG(seen.st_mode) and seen.st_size <= room
            room -= seen.st_size if hashed else 0
            yield FileEffect(
                path=_shown(f"{WORKSPACE}/{name}"), kind=_kind(seen.st_mode), act=act, size=seen.st_size * there,
                mode=stat.S_IMODE(seen.st_mode) * there, hash=_hash(upper, name) if hashed else "")


def _acts(layer: Layer, upper: int) -> Iterator[Change | None]:
    """All acts of a layer, with None for a folder that lies too deep to be entered."""
    for path, info in _walk(upper, ""):
        if info is None:
            yield None
        else:
            yield from layer.acts(path.lstrip("/"), info)
    yield from layer.rest()


def layer_of(job: Job, upper: int, lower: str, *, copied: bool) -> dict[str, Artifact | None]:
    """What a run left in its workspace, read into memory or written into the folder that the command names."""
    most, folder = job.limits.disk_bytes, job.command.keep_in
    if folder is None:
        return read_layer(upper, lower, most_bytes=most, copied=copied)
    target = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        return save_layer(upper, lower, target, most_bytes=most, most_entries=job.limits.files, copied=copied)
    finally:
        os.close(target)


def save_layer(
    upper: int, lower: str, target: int, *, most_bytes: int, most_entries: int, copied: bool = False,
) -> dict[str, Artifact | None]:
    """As ``read_layer``, with the contents of files written below ``target``, never held; all links are kept."""
    with (Copy if copied else Layer)(upper, lower) as layer:
        return _gathered(layer, upper, functools.partial(_saved, upper, target=target), most_bytes, most_entries)


def _saved(upper: int, name: str, seen: os.stat_result, *, target: int, room: int) -> Artifact | None:
    if stat.S_ISLNK(seen.st_mode):
        leads = _target(upper, name)
        return Artifact(data=os.fsencode(leads), mode=seen.st_mode) if leads else None
    if not stat.S_ISREG(seen.st_mode):
        return _kept(upper, name, seen, room=room)
    if seen.st_size > room:
        return None
    try:
        source = _open_below(upper, name)
    except OSError:
        return None
    with open(source, "rb") as content:  # noqa: PTH123 -- by descriptor
        _write_below(target, name, content, most=seen.st_size)
    return Artifact(data=b"", mode=stat.S_IMODE(seen.st_mode), executable=bool(seen.st_mode & 0o111))


def _write_below(top: int, path: str, content: BinaryIO, *, most: int) -> None:
    *above, name = path.split("/")
    folder = os.dup(top)
    try:
        for step in above:
            with contextlib.suppress(FileExistsError):
                os.mkdir(step, 0o700, dir_fd=folder)
            deeper = os.open(step, _OPEN | os.O_DIRECTORY, dir_fd=folder)
            os.close(folder)
            folder = deeper
        made = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder)
    finally:
        os.close(folder)
    with open(made, "wb") as file:  # noqa: PTH123 -- by descriptor
        while most > 0 and (data := content.read(min(most, 1 << 20))):
            file.write(data)
            most -= len(data)


def read_layer(
    upper: int, lower: str, *, most_bytes: int, copied: bool = False,
) -> dict[str, Artifact | None]:
    """What a run left in its workspace, by relative path, ready to be laid over it again; None for what it deleted.

    Files, links that stay in it, and folders that nothing else would bring about. What does not fit is left out; what
    there was is told by ``survey``.
    """
    with (Copy if copied else Layer)(upper, lower) as layer:
        return _gathered(layer, upper, functools.partial(_kept, upper), most_bytes, MOST_LAYER_ENTRIES)


class _Keep(Protocol):
    def __call__(self, name: str, seen: os.stat_result, *, room: int) -> Artifact | None: ...


def _gathered(layer: Layer, upper: int, keep: _Keep, room: int, most_entries: int) -> dict[str, Artifact | None]:
    read: dict[str, Artifact | None] = {}
    made = set[str]()
    for name, act, seen in filter(None, _acts(layer, upper)):
        if len(read) >= most_entries:
            break
        if act == "deleted":
            read[layer.top_of(name)] = None
            continue
        if act == "made" and stat.S_ISDIR(seen.st_mode):
            made.add(name)
        file = keep(name, seen, room=room)
        if file is not None or act == "changed":  # rather nothing than what was there before
            read[name] = file
            room -= seen.st_size if file is not None and stat.S_ISREG(seen.st_mode) else 0
    return _laid_once(read, made)


def _laid_once(read: dict[str, Artifact | None], made: set[str]) -> dict[str, Artifact | None]:
    """Without folders that their files bring about, and without deletions below what is no folder any more."""
    needless = made.intersection(parent for name in read for parent in _parents(name))
    closed = {name for name, file in read.items() if file is None or not file.is_folder}
    return {name: file for name, file in read.items()
            if name not in needless and (file is not None or closed.isdisjoint(_parents(name)))}


def _kept(upper: int, name: str, seen: os.stat_result, *, room: int) -> Artifact | None:
    """One entry, or nothing where it is none that can be laid over a project, or does not fit."""
    if stat.S_ISDIR(seen.st_mode):
        return Artifact(data=b"", mode=stat.S_IFDIR | stat.S_IMODE(seen.st_mode))
    if seen.st_size > room:
        return None
    if stat.S_ISLNK(seen.st_mode):
        target = _target(upper, name)
        return Artifact(data=os.fsencode(target), mode=seen.st_mode) if leads_inside(name, target) else None
    if not stat.S_ISREG(seen.st_mode):
        return None
    file = _read_below(upper, name, room=room).get(name)
    return None if file is None else replace(file, mode=stat.S_IMODE(seen.st_mode))


def _target(top: int, path: str) -> str:
    """Where a link leads; nothing when it is none any more."""
    above, _, name = path.rpartition("/")
    with contextlib.suppress(OSError):
        folder = _open_below(top, above) if above else os.dup(top)
        try:
            return os.readlink(name, dir_fd=folder)
        finally:
            os.close(folder)
    return ""


def _parents(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path


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


def measure(top: int, *names: str, most_entries: int) -> tuple[int, int]:
    """Bytes on disk and entries; counting stops above ``most_entries``, and what cannot be opened is left out."""
    size, entries, pending = 0, 0, list(names)
    while pending and entries <= most_entries:
        below = pending.pop()
        try:
            folder = os.open(below, _OPEN | os.O_DIRECTORY, dir_fd=top)
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                return size, most_entries + 1  # so deep that nobody could count it
            continue
        try:
            with os.scandir(folder) as found:
                for entry in found:
                    try:
                        info = os.stat(entry.name, dir_fd=folder, follow_symlinks=False)
                    except FileNotFoundError:
                        continue  # gone again; the others still count
                    size, entries = size + info.st_blocks * 512, entries + 1
                    if stat.S_ISDIR(info.st_mode):
                        pending.append(f"{below}/{entry.name}")
        except OSError:
            continue
        finally:
            os.close(folder)
    return size, entries


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
                        if depth < MOST_DEPTH:
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


def _hash(top: int, path: str) -> str:
    """Of the content; empty when it cannot be read."""
    try:
        descriptor = _open_below(top, path)
    except OSError:
        return ""
    with open(descriptor, "rb") as file:  # noqa: PTH123 -- by descriptor
        return hashlib.file_digest(file, "sha256").hexdigest()


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
