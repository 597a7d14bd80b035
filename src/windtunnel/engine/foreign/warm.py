"""A copy of a project with what its first build left, to be laid below every mutant.

What holds: it lies in our own cache folder and is gone at the end, or, after our death, when the next one is made;
links are copied and never followed, neither the project's nor those that a build left; everything that was built has
one time, all sources an earlier one and a mutant's file a later one, so that a build tool which goes by times builds
exactly what a mutant changes. What does not hold: of a project that is larger than the bounds no copy is made, and each
mutant is then built from what the project itself has.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from windtunnel.core.ports import Rig
from windtunnel.core.result import Artifact
from windtunnel.engine.ground import Ground
from windtunnel.sandbox.private import make_folder, remove_folder, sweep

_MOST_FILES, _MOST_BYTES = 50_000, 2 * 1024**3
_BEFORE_NANOSECONDS = 2 * 10**9
"""A mutant's file is written later than what was built by more than any file system rounds to."""
_CACHE = "CACHEDIR.TAG"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
COLD = "what compilers keep is not taken from one mutant to the next: the project is too large to be copied"


class TooLargeError(Exception):
    """More than is copied."""


@contextlib.contextmanager
def warmed(
    rig: Rig, ground: Ground, products: Mapping[str, Artifact | None], *, folders: Collection[str],
) -> Iterator[Ground | None]:
    """A ground with what was built below folders of these names; None where it is too large, or nothing was built."""
    built = {path: file for path, file in products.items() if file is not None and set(path.split("/")) & set(folders)}
    if not built or rig.cache_dir is None:
        yield None
        return
    parent = Path(rig.cache_dir) / "mutants"
    parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    sweep(str(parent))
    place, lock = make_folder(str(parent))
    try:
        yield _filled(ground, place, built)
    finally:
        remove_folder(place, lock)


def _filled(ground: Ground, place: str, built: Mapping[str, Artifact]) -> Ground | None:
    when = time.time_ns() - _BEFORE_NANOSECONDS
    project = Path(place) / "project"
    project.mkdir(mode=0o700)
    with _opened(ground.project) as source, _opened(project) as target:
        try:
            _Copying(latest=when - 1).folder(source, target)
            for path, file in built.items():
                _put(target, path.split("/"), file, when=when)
        except (TooLargeError, OSError):
            return None
    return replace(ground, project=str(project))


@contextlib.contextmanager
def _opened(path: str | Path, *, above: int | None = None) -> Iterator[int]:
    descriptor = os.open(path, _FOLDER, dir_fd=above)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@dataclass(slots=True, kw_only=True)
class _Copying:
    """Copies one tree; nothing in it is later than ``latest``, in nanoseconds since 1970."""

    latest: int
    files: int = _MOST_FILES
    bytes: int = _MOST_BYTES

    def folder(self, source: int, target: int) -> None:
        """All that is in one folder, by descriptor."""
        with os.scandir(source) as entries:
            for entry in entries:
                self._entry(entry, source, target)

    def _entry(self, entry: os.DirEntry[str], source: int, target: int) -> None:
        info, name = os.stat(entry.name, dir_fd=source, follow_symlinks=False), entry.name
        self.files -= 1
        if self.files < 0:
            raise TooLargeError
        if stat.S_ISLNK(info.st_mode):
            os.symlink(os.readlink(name, dir_fd=source), name, dir_fd=target)
        elif stat.S_ISDIR(info.st_mode):
            with _opened(name, above=source) as below:
                self._below(name, info, below, target)
        elif stat.S_ISREG(info.st_mode):
            self._file(name, info, source, target)

    def _below(self, name: str, info: os.stat_result, source: int, target: int) -> None:
        """One folder, unless it says of itself that it is a cache, as those of cargo do, which can be very large."""
        with contextlib.suppress(OSError):
            os.stat(_CACHE, dir_fd=source, follow_symlinks=False)
            return
        os.mkdir(name, 0o700, dir_fd=target)
        with _opened(name, above=target) as made:
            self.folder(source, made)
            os.fchmod(made, stat.S_IMODE(info.st_mode) | stat.S_IRWXU)

    def _file(self, name: str, info: os.stat_result, source: int, target: int) -> None:
        self.bytes -= info.st_size
        if self.bytes < 0:
            raise TooLargeError
        when = min(info.st_mtime_ns, self.latest)
        with _file(name, _READ, source) as old, _file(name, _WRITE, target) as new:
            shutil.copyfileobj(old, new)
            os.fchmod(new.fileno(), stat.S_IMODE(info.st_mode) | stat.S_IRUSR)
        os.utime(name, ns=(when, when), dir_fd=target, follow_symlinks=False)


def _file(name: str, flags: int, above: int) -> IO[bytes]:
    return open(os.open(name, flags, 0o600, dir_fd=above), "wb" if flags & os.O_WRONLY else "rb")  # noqa: PTH123 -- by descriptor


def _put(above: int, parts: Sequence[str], file: Artifact, *, when: int) -> None:
    """One thing that was built, in the place of what is there; a link in its way is replaced, never followed."""
    name = parts[0]
    if name in ("", ".", "..") or "\0" in name:
        return
    if parts[1:] or file.is_folder:
        _clear(name, above, unless=stat.S_IFDIR)
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, 0o700, dir_fd=above)
        if parts[1:]:
            with _opened(name, above=above) as below:
                _put(below, parts[1:], file, when=when)
        return
    _clear(name, above)
    if file.is_link:
        os.symlink(os.fsdecode(file.data), name, dir_fd=above)
        return
    with _file(name, _WRITE, above) as made:
        made.write(file.data)
        os.fchmod(made.fileno(), stat.S_IMODE(file.mode or 0o644) | stat.S_IRUSR)
    os.utime(name, ns=(when, when), dir_fd=above, follow_symlinks=False)


def _clear(name: str, above: int, *, unless: int = 0) -> None:
    """Take away what has this name, but for a folder where one is wanted; one in a file's way stays, and fails."""
    with contextlib.suppress(FileNotFoundError):
        if stat.S_IFMT(os.stat(name, dir_fd=above, follow_symlinks=False).st_mode) != (unless or stat.S_IFDIR):
            os.unlink(name, dir_fd=above)
