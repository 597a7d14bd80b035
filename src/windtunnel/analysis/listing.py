"""The files of a tree, to be read by name; nothing is followed, run or changed."""

from __future__ import annotations

import contextlib
import os
import stat
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

MOST_TEXT = 8 * 1024**2
"""Bytes of one manifest or lock file; of larger ones nothing is read, which is noted."""
_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER = _OPEN | os.O_DIRECTORY


@dataclass(slots=True)
class Listing:
    """Names of plain files, relative to the tree, and a way to read them; what could not be read is noted."""

    names: tuple[str, ...]
    read_bytes: Callable[[str], bytes | None]
    notes: list[str] = field(default_factory=list)
    known: frozenset[str] = frozenset()
    ordered: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Names as a set too, and in order, for questions that every part asks."""
        self.known, self.ordered = frozenset(self.names), sorted(self.names)

    def below(self, folder: str) -> list[str]:
        """The names in a folder and in those below, in order; all for the top."""
        if not folder:
            return self.ordered
        return self.ordered[bisect_left(self.ordered, f"{folder}/"):bisect_left(self.ordered, f"{folder}0")]

    def has(self, name: str) -> bool:
        """Whether there is a plain file of this name."""
        return name in self.known

    def text(self, name: str) -> str:
        """The text of a file; empty where there is none, where it is too large or cannot be read."""
        content = self.read_bytes(name) if name in self.known else None
        if content is None:
            if name in self.known:
                self.note(name, f"not read: larger than {MOST_TEXT // 1024**2} MiB, or not readable")
            return ""
        return content.decode("utf-8-sig", "replace")

    def note(self, name: str, what: str) -> None:
        """Remember what could not be done."""
        line = f"{name}: {what}"
        if line not in self.notes and len(self.notes) < 100:  # noqa: PLR2004 -- enough to see what is wrong
            self.notes.append(line)


@contextlib.contextmanager
def reader(root: Path, *, most: int = MOST_TEXT) -> Iterator[Callable[[str], bytes | None]]:
    """Reads files beneath a folder by name, each component opened without following links; None for what it refuses.

    The folder of the last file stays open, so that reading folder by folder is quick.
    """
    folders = _Folders(root)

    def read(name: str) -> bytes | None:
        folder, _, last = name.rpartition("/")
        try:
            descriptor = os.open(last, _OPEN, dir_fd=folders.opened(folder))
        except (OSError, ValueError):
            return None
        try:
            found = os.fstat(descriptor)
            return _whole(descriptor, found.st_size) if stat.S_ISREG(found.st_mode) and found.st_size <= most else None
        except OSError:
            return None
        finally:
            os.close(descriptor)

    try:
        yield read
    finally:
        folders.close()


def _whole(descriptor: int, size: int) -> bytes:
    """So many bytes, or as many as there are left: a file may shrink while it is read."""
    content = os.read(descriptor, size)
    while 0 < len(content) < size and (more := os.read(descriptor, size - len(content))):
        content += more
    return content


class _Folders:
    """One folder at a time, by descriptor."""

    def __init__(self, root: Path) -> None:
        self._top = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._name, self._at = "", self._top

    def opened(self, name: str) -> int:
        """The descriptor of a folder; ``OSError`` where a link is in the way."""
        if name != self._name:
            made = self._walk(name)
            self._let_go()
            self._name, self._at = name, made
        return self._at

    def _walk(self, name: str) -> int:
        at = self._top
        for part in name.split("/") if name else ():
            if part in ("", ".", ".."):
                raise FileNotFoundError(name)
            inner = os.open(part, _FOLDER, dir_fd=at)
            if at != self._top:
                os.close(at)
            at = inner
        return at

    def _let_go(self) -> None:
        if self._at != self._top:
            os.close(self._at)
        self._name, self._at = "", self._top

    def close(self) -> None:
        """Let go of all."""
        self._let_go()
        os.close(self._top)


def listing_of(files: Mapping[str, str]) -> Listing:
    """A tree that is only in memory, by name and text."""
    return Listing(tuple(sorted(files)), lambda name: files[name].encode() if name in files else None)
