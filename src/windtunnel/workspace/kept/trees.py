"""Whole trees copied, shared, measured and removed, without following a link.

What holds: links are copied as links, wherever they lead; pipes, sockets and devices are left out; special bits of
modes are dropped. What does not hold: a source that is written to while it is copied is copied as each file was when
its turn came.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from windtunnel.core.errors import UsageError

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_MOST_DEPTH = 200
Put = Callable[[int, int, str, os.stat_result], None]
"""Brings one file from a folder into another, by their descriptors."""


class TooMuch(UsageError):
    """The source holds more than a workspace may."""

    code = "too-much"


class Room:
    """How much may still come."""

    def __init__(self, *, files: int, bytes_: int) -> None:
        """So many entries, so many bytes of content."""
        self.most_files, self.most_bytes = files, bytes_
        self.files = self.bytes = 0

    def take(self, info: os.stat_result) -> None:
        """Count one entry; an error where it is too much."""
        self.files += 1
        self.bytes += info.st_size if stat.S_ISREG(info.st_mode) else 0
        if self.files > self.most_files or self.bytes > self.most_bytes:
            raise TooMuch(f"source: more than {self.most_files} files or {self.most_bytes} bytes "
                          "(name a smaller folder, or raise limits.files and limits.disk_bytes)", field="source")


def copy_tree(source: Path, target: Path, *, room: Room, apart_from: Collection[str] = ()) -> None:
    """All of it, apart from entries of these names; the target must not exist."""
    _bring(source, target, _copied, room=room, apart_from=apart_from)


def share_tree(source: Path, target: Path) -> None:
    """The same files under a second tree; copies where the file system has no hard links."""
    _bring(source, target, _shared, room=None, apart_from=())


def _bring(source: Path, target: Path, put: Put, *, room: Room | None, apart_from: Collection[str]) -> None:
    target.mkdir(mode=0o700)
    pending = [("", 0)]
    while pending:
        below, depth = pending.pop()
        if depth > _MOST_DEPTH:
            raise TooMuch(f"source: folders deeper than {_MOST_DEPTH}", field="source")
        with _opened(source / below) as here, _opened(target / below) as there:
            for name, info in _entries(here, apart_from):
                if room is not None:
                    room.take(info)
                if stat.S_ISDIR(info.st_mode):
                    os.mkdir(name, 0o700, dir_fd=there)
                    pending.append((f"{below}/{name}" if below else name, depth + 1))
                elif stat.S_ISLNK(info.st_mode):
                    os.symlink(os.readlink(name, dir_fd=here), name, dir_fd=there)
                elif stat.S_ISREG(info.st_mode):
                    put(here, there, name, info)
            os.fchmod(there, stat.S_IMODE(os.fstat(here).st_mode) & 0o777 | 0o700)


def _entries(folder: int, apart_from: Collection[str]) -> Iterator[tuple[str, os.stat_result]]:
    with os.scandir(folder) as found:
        for entry in found:
            if entry.name not in apart_from:
                with contextlib.suppress(FileNotFoundError):  # gone since it was listed
                    yield entry.name, os.stat(entry.name, dir_fd=folder, follow_symlinks=False)


def _copied(here: int, there: int, name: str, info: os.stat_result) -> None:
    with _opened_file(here, name) as old, open(os.open(name, _NEW, 0o600, dir_fd=there), "wb") as new:  # noqa: PTH123
        shutil.copyfileobj(open(old, "rb", closefd=False), new, 1 << 20)  # noqa: SIM115 -- by descriptor
        new.flush()
        os.fchmod(new.fileno(), stat.S_IMODE(info.st_mode) & 0o777)
        os.utime(new.fileno(), ns=(info.st_atime_ns, info.st_mtime_ns))


def _shared(here: int, there: int, name: str, info: os.stat_result) -> None:
    try:
        os.link(name, name, src_dir_fd=here, dst_dir_fd=there, follow_symlinks=False)
    except OSError:
        _copied(here, there, name, info)


@contextlib.contextmanager
def _opened(folder: Path) -> Iterator[int]:
    descriptor = os.open(folder, _FOLDER)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _opened_file(folder: int, name: str) -> Iterator[int]:
    descriptor = os.open(name, _FILE, dir_fd=folder)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def remove_tree(path: Path) -> None:
    """All of it, whatever modes were left in it; nothing where there is nothing."""
    if not os.path.lexists(path):
        return
    for folder, names, _ in os.walk(path):
        for name in names:
            with contextlib.suppress(OSError):
                inner = os.path.join(folder, name)  # noqa: PTH118 -- a walk speaks in text
                if not os.path.islink(inner):  # noqa: PTH114
                    os.chmod(inner, 0o700)  # noqa: PTH101
    shutil.rmtree(path)


def measure(*tops: Path) -> tuple[int, int]:
    """Entries of the first, and bytes on disk of all, where a file that they share counts once."""
    seen: set[tuple[int, int]] = set()
    size = count = 0
    for number, top in enumerate(tops):
        for folder, folders, files in os.walk(top):
            count += 0 if number else len(folders) + len(files)
            for name in files:
                with contextlib.suppress(OSError):
                    info = os.lstat(os.path.join(folder, name))  # noqa: PTH118
                    if (info.st_dev, info.st_ino) not in seen:
                        seen.add((info.st_dev, info.st_ino))
                        size += info.st_blocks * 512
    return count, size
