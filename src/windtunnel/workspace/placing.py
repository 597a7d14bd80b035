"""Single steps of a promotion: one file put in place, taken out, or put back.

A file comes into its place by one rename, so a reader sees the old or the new one, never half of it. Where the journal
lies on another file system it is copied beside its place first, under a name that begins with ``.windtunnel-`` and
the entry's id; ``clear`` removes such a copy after a crash.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from windtunnel.workspace import beneath, journal
from windtunnel.workspace.journal import Entry, Touched
from windtunnel.workspace.paths import OWN

Step: TypeAlias = Callable[[str], None]
"""Told before and after each act; a test ends the process there."""
_CARRIED = ("user.", "system.posix_acl_access")
"""Extended attributes that follow a file. Not ``security.capability``: new content must earn its privileges."""


def attributes(root: int, path: str) -> dict[str, str]:
    """Extended attributes that follow the file, in hexadecimal."""
    found: dict[str, str] = {}
    with beneath.reading(root, path) as descriptor, contextlib.suppress(OSError):
        for name in os.listxattr(descriptor) if descriptor is not None else ():
            if name.startswith(_CARRIED):
                found[name] = os.getxattr(descriptor or 0, name).hex()
    return found


def dress(descriptor: int, *, mode: int, file: Touched) -> None:
    """Owner, mode and attributes for a file; a group or attribute that this user may not give is left out."""
    if file.owner is not None:
        with contextlib.suppress(PermissionError):
            os.fchown(descriptor, *file.owner)
    os.fchmod(descriptor, mode)
    for name, value in file.attributes.items():
        with contextlib.suppress(OSError):
            os.setxattr(descriptor, name, bytes.fromhex(value))


@dataclass(frozen=True, slots=True, kw_only=True)
class Placing:
    """One entry at work in its project."""

    root: int
    folder: Path
    entry: Entry
    step: Step

    def is_old(self, file: Touched) -> bool:
        """Whether the file is as before the promotion."""
        return self._is(file.path, file.old_sha, file.old_mode)

    def is_new(self, file: Touched) -> bool:
        """Whether the file is as the promotion leaves it."""
        return self._is(file.path, file.new_sha, file.new_mode)

    def _is(self, path: str, sha: str | None, mode: int | None) -> bool:
        found = beneath.find(self.root, path)
        return (found.sha, found.mode) == (sha, mode) if found else sha is None

    def forward(self, number: int) -> None:
        """Make one file as it should become."""
        file = self.entry.files[number]
        if file.new_mode is None:
            self._remove(file.path)
        else:
            self._install(number, "new", mode=file.new_mode)

    def back(self, number: int) -> None:
        """Make one file as it was."""
        file = self.entry.files[number]
        if file.old_mode is None:
            self._remove(file.path)
        else:
            self._install(number, "old", mode=file.old_mode)

    def _remove(self, path: str) -> None:
        with beneath.parent(self.root, path) as place:
            if place is not None:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(place[1], dir_fd=place[0])
                journal.sync(place[0])

    def _install(self, number: int, side: str, *, mode: int) -> None:
        file, staged = self.entry.files[number], self.folder / self.entry.id / side / str(number)
        with staged.open("rb") as source:
            dress(source.fileno(), mode=mode, file=file)
            with beneath.parent(self.root, file.path, make=True) as place:
                if place is None:
                    raise FileNotFoundError(errno.ENOENT, "its folder vanished", file.path)
                try:
                    os.rename(staged, place[1], dst_dir_fd=place[0])
                except OSError as error:
                    if error.errno != errno.EXDEV:
                        raise
                    self._copy(source.fileno(), number, place=place, mode=mode)
                journal.sync(place[0])

    def _copy(self, source: int, number: int, *, place: tuple[int, str], mode: int) -> None:
        passing, folder = self._passing(number), place[0]
        with contextlib.suppress(FileNotFoundError):
            os.unlink(passing, dir_fd=folder)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(passing, flags, 0o600, dir_fd=folder)
        with os.fdopen(descriptor, "wb") as target, os.fdopen(source, "rb", closefd=False) as file:
            shutil.copyfileobj(file, target)
            target.flush()
            dress(descriptor, mode=mode, file=self.entry.files[number])
            os.fsync(descriptor)
        self.step(f"copied {number}")
        os.rename(passing, place[1], src_dir_fd=folder, dst_dir_fd=folder)

    def _passing(self, number: int) -> str:
        return f"{OWN}-{self.entry.id}-{number}"

    def clear(self, *, folders: bool) -> None:
        """Remove copies that were on their way and, if told, the folders that were made and hold nothing."""
        for number, file in enumerate(self.entry.files):
            with contextlib.suppress(OSError, ValueError), beneath.parent(self.root, file.path) as place:
                if place is not None:
                    os.unlink(self._passing(number), dir_fd=place[0])
        for folder in reversed(self.entry.folders if folders else ()):
            with contextlib.suppress(OSError, ValueError), beneath.parent(self.root, folder) as place:
                if place is not None:
                    os.rmdir(place[1], dir_fd=place[0])

    def keep(self, number: int) -> None:
        """Save what a forced undo is about to replace."""
        found = beneath.read(self.root, self.entry.files[number].path)
        kept = self.folder / self.entry.id / "kept"
        kept.mkdir(mode=0o700, exist_ok=True)
        if found is not None and not (kept / str(number)).exists():
            journal.write(kept / str(number), found[0])


def usual_mask() -> int:
    """The process's mask for new files, read without changing it for other threads."""
    with contextlib.suppress(OSError, StopIteration, ValueError):
        lines = Path("/proc/self/status").read_text("utf-8", "replace").splitlines()
        return int(next(line for line in lines if line.startswith("Umask:")).split()[1], 8)
    return stat.S_IWGRP | stat.S_IWOTH
