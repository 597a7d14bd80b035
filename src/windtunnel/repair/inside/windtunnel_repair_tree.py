"""The project's files as they were when the tests had been collected, and how to make them so again.

What holds: files and folders that proposals made are removed, those that they changed, moved or removed are put back
with their bytes, modes and times; compiled files count like all others, because nobody but a proposal writes them by
then. What does not hold: of files beyond the bounds below the bytes are not kept; owners and extended attributes are
not looked at; the folders that are named below are left as they are.
"""

from __future__ import annotations

import os
import shutil
import stat
from typing import Dict, Iterator, List, Tuple

MOST_ENTRIES = 20_000
MOST_BYTES = 64 * 1024**2
SMALL = 400
"""Entries up to which the whole is looked at after each proposal, whatever that says of itself."""
LITTER = frozenset({".git", ".hg", ".svn", ".pytest_cache", ".hypothesis", ".venv", "venv", "node_modules", ".tox",
                    ".nox"})
Look = Tuple[int, int, int, int]


class Tree:
    """One project."""

    def __init__(self, root: str) -> None:
        """Look at all of it, and keep the bytes of what fits."""
        self.root = root
        self.before = self._look()
        self.whole = len(self.before) < MOST_ENTRIES
        """Whether it was small enough to be looked at."""
        self.kept: Dict[str, bytes] = {}
        self.lost: Dict[str, None] = {}
        """Files that were changed and could not be put back."""
        room = MOST_BYTES
        for path, look in sorted(self.before.items(), key=lambda entry: entry[1][1]) if self.whole else ():
            if stat.S_ISLNK(look[0]):
                self.kept[path] = os.fsencode(os.readlink(path))
            elif stat.S_ISREG(look[0]) and look[1] <= room:
                self.kept[path] = _content(path)
                room -= look[1]

    @property
    def small(self) -> bool:
        """Whether looking costs next to nothing."""
        return len(self.before) <= SMALL

    def changed(self) -> bool:
        """Whether anything is not as it was."""
        return self.whole and self._look() != self.before

    def restore(self) -> bool:
        """Make it as it was; whether anything had changed."""
        now = self._look() if self.whole else self.before
        changed = sorted(path for path in {*now, *self.before} if now.get(path) != self.before.get(path))
        for path in reversed(changed):
            if path not in self.before or now.get(path, (0,))[0] != self.before[path][0]:
                _remove(path)
        for path in changed:
            if path in self.before:
                self._put(path)
        if changed:
            again = self._look()  # the times of change are new; what could not be removed stays a change
            self.before = {path: again.get(path, look) for path, look in self.before.items()}
        return bool(changed)

    def _put(self, path: str) -> None:
        mode, _, time_ns, _ = self.before[path]
        try:
            if stat.S_ISDIR(mode):
                os.makedirs(path, exist_ok=True)
            elif path not in self.kept:
                self.lost[path] = None
            elif stat.S_ISLNK(mode):
                _remove(path)
                os.symlink(os.fsdecode(self.kept[path]), path)
            else:
                _remove(path)
                with open(path, "wb") as file:
                    file.write(self.kept[path])
                os.utime(path, ns=(time_ns, time_ns))
            if not stat.S_ISLNK(mode):
                os.chmod(path, stat.S_IMODE(mode))
        except OSError:
            self.lost[path] = None

    def _look(self) -> Dict[str, Look]:
        found: Dict[str, Look] = {}
        for path, look in _walk(self.root):
            found[path] = look
            if len(found) >= MOST_ENTRIES:
                break
        return found


def _walk(folder: str) -> Iterator[Tuple[str, Look]]:
    folders: List[str] = [folder]
    while folders:
        try:
            entries = list(os.scandir(folders.pop()))
        except OSError:
            continue
        for entry in entries:
            if entry.name in LITTER:
                continue
            try:
                found = entry.stat(follow_symlinks=False)
            except OSError:
                continue  # it went meanwhile
            inner = stat.S_ISDIR(found.st_mode)
            # What changes in a folder shows in its entries; of a file only its time of change cannot be set at will.
            yield entry.path, (found.st_mode, 0, 0, 0) if inner else (
                found.st_mode, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
            if inner:
                folders.append(entry.path)


def _remove(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    elif os.path.lexists(path):
        os.remove(path)


def _content(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
