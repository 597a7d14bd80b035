"""One run's folder at the restricted level, where there is no mount namespace to hide it in.

What holds: it is removed when the run ends, whatever its depth and modes, and by the next supervisor when we are
killed; nothing outside it is followed, counted or removed. What does not hold: its size is counted, not bounded.
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import re
import stat
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Self

from windtunnel.core.errors import UsageError
from windtunnel.core.limits import Limits
from windtunnel.core.result import Artifact, Command, Reason
from windtunnel.sandbox import cgroups, harvest

SHARED_PLACE = "/tmp"  # noqa: S108 -- a fresh 0700 folder is made below it
_SANDBOX, _TMP = "/sandbox", "/tmp"  # noqa: S108 -- names that programs know
_PLACE = re.compile(r"^(@|-[^/=]*=)?(/(?:sandbox|tmp))(?=/|$)")
"""A path as programs know it, also as ``@/tmp/arguments`` and ``--option=/tmp/value``."""
_NAME = re.compile(r"windtunnel-(\d+)-(\d+)-\w+")
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Private:
    """The folder that stands in for the sandbox's file system: ``sandbox`` and ``tmp`` below one of its own.

    Its name carries our process number and start time, and we hold a lock on it, which the kernel lets go when we die.
    """

    def __init__(self, uid: int | None) -> None:
        """Make it; with a throw-away user the two folders are that user's, and nobody else's."""
        self._uid = uid
        parent = SHARED_PLACE if uid is not None else own_place()
        self.path, self._lock = make_folder(parent)
        self.sandbox, self.tmp = self.path + _SANDBOX, self.path + _TMP
        if uid is not None:
            os.fchmod(self._lock, 0o711)
        self._open: dict[str, int] = {}
        for name, path in ((_TMP, self.tmp), (_SANDBOX, self.sandbox)):
            self._folder(path)
            self._open[name] = os.open(path, _FOLDER)

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove it with all that is in it."""
        for descriptor in self._open.values():
            os.close(descriptor)
        remove_folder(self.path, self._lock)

    def located(self, text: str, *, tools: Sequence[str] = ()) -> str:
        """A path of the sandbox, or a search path of such, as it is here; anything else, tools too, as it is."""

        def moved(part: str) -> str:
            match = _PLACE.match(part)
            if match is None or any(f"{part[match.start(2):]}/".startswith(f"{tool}/") for tool in tools):
                return part
            return f"{match[1] or ''}{self.path}{part[match.start(2):]}"

        return ":".join(map(moved, text.split(":")))

    def place(self, command: Command) -> None:
        """Put the files below ``sandbox``; refuse names that lead elsewhere."""
        place_files(self.sandbox, command, uid=self._uid)
        if command.build:
            self._folder(f"{self.tmp}/build")

    def _folder(self, path: str) -> None:
        own_folder(path, uid=self._uid)

    def shown(self, *, sandbox: bool) -> dict[str, int]:
        """The writable folders by the name the program knows, as descriptors."""
        return {name: folder for name, folder in self._open.items() if sandbox or name != _SANDBOX}

    def artifacts(self, command: Command, *, most_bytes: int) -> dict[str, Artifact]:
        """What the command asked to read back."""
        name = "build" if command.build else command.collect
        return harvest.read_tree(self._open[_TMP], name, most_bytes=most_bytes) if name else {}

    def measure(self, most_entries: int) -> tuple[int, int]:
        """Bytes on disk and entries of both folders."""
        return harvest.measure(self._lock, "sandbox", "tmp", most_entries=most_entries)


def make_folder(parent: str) -> tuple[str, int]:
    """A folder below ``parent`` that ``sweep`` removes when we are dead, and the lock on it that says we are not."""
    prefix = f"windtunnel-{os.getpid()}-{cgroups.start_time(os.getpid())}-"
    path = os.path.realpath(tempfile.mkdtemp(prefix=prefix, dir=parent))
    lock = os.open(path, _FOLDER)
    fcntl.flock(lock, fcntl.LOCK_EX)
    return path, lock


def remove_folder(path: str, lock: int) -> None:
    """With all that is in it."""
    try:
        _clear(lock)
        os.rmdir(path)  # noqa: PTH106
    finally:
        os.close(lock)


def place_files(root: str, command: Command, *, uid: int | None) -> None:
    """Put a command's files below an empty folder of ours; refuse names that lead elsewhere."""
    made = {root}
    for name, data in command.files.items():
        steps = name.split("/")
        if not all(steps) or {".", ".."} & set(steps) or "\0" in name:
            raise UsageError(f"files: not a relative path: {name[:200]!r} (try src/main.py)", field="files")
        for depth in range(1, len(steps)):
            folder = "/".join([root, *steps[:depth]])
            if folder not in made:
                own_folder(folder, uid=uid)
                made.add(folder)
        _own_file(f"{root}/{name}", data, executable=name in command.executables, uid=uid)


def own_folder(path: str, *, uid: int | None, mode: int = 0o700) -> None:
    """A new folder that belongs to the program."""
    os.mkdir(path, mode)  # noqa: PTH102
    os.chmod(path, mode)  # noqa: PTH101 -- whatever the umask
    if uid is not None:
        os.chown(path, uid, uid)


def _own_file(path: str, data: bytes, *, executable: bool, uid: int | None) -> None:
    with Path(path).open("xb") as file:
        file.write(data)
        os.fchmod(file.fileno(), 0o555 if executable else 0o444)
        if uid is not None:
            os.fchown(file.fileno(), uid, uid)


def _clear(top: int) -> None:
    """Empty a folder however deep it is and whatever its modes are.

    Each folder found is moved up to the top, so there are never more than two levels to hold open.
    """
    moved = itertools.count()
    while names := os.listdir(top):
        for name in names:
            with _opened(top, name) as folder:
                for below in os.listdir(folder) if folder >= 0 else ():  # noqa: PTH208 -- by descriptor
                    with _opened(folder, below) as deeper:
                        if deeper >= 0:
                            os.rename(below, f"moved-{next(moved)}", src_dir_fd=folder, dst_dir_fd=top)
                        else:
                            os.unlink(below, dir_fd=folder)
            (os.rmdir if folder >= 0 else os.unlink)(name, dir_fd=top)


@contextlib.contextmanager
def _opened(parent: int, name: str) -> Iterator[int]:
    """A folder, made readable; -1 for anything else. Never follows a link."""
    path = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    try:
        if not stat.S_ISDIR(os.fstat(path).st_mode):
            yield -1
            return
        os.chmod(f"/proc/self/fd/{path}", 0o700)  # noqa: PTH101
        with _descriptor(f"/proc/self/fd/{path}", os.O_RDONLY) as folder:
            yield folder
    finally:
        os.close(path)


@contextlib.contextmanager
def _descriptor(path: str, flags: int) -> Iterator[int]:
    descriptor = os.open(path, flags | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def sweep(parent: str) -> None:
    """Remove the folders of supervisors that are gone: another start time, our own user's, and no lock held."""
    with contextlib.suppress(OSError):
        for name in os.listdir(parent):  # noqa: PTH208
            match = _NAME.fullmatch(name)
            if match is None or cgroups.start_time(int(match[1])) == int(match[2]):
                continue
            with contextlib.suppress(OSError), _descriptor(f"{parent}/{name}", _FOLDER) as folder:
                if os.fstat(folder).st_uid == os.geteuid():
                    fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    _clear(folder)
                    os.rmdir(f"{parent}/{name}")  # noqa: PTH106


def own_place() -> str:
    """Where an ordinary user's folders go."""
    own = os.environ.get("XDG_RUNTIME_DIR", "")
    return own if own.startswith("/") and os.access(own, os.W_OK | os.X_OK) else SHARED_PLACE


class DiskMeter:
    """Counts the private folder, never more than a quarter of the time."""

    def __init__(self, private: Private, limits: Limits) -> None:
        """Nothing is counted yet."""
        self.private, self.limits = private, limits
        self.used, self.full, self._next = 0, False, 0.0

    def over(self) -> Reason | None:
        """Count, unless the last count was too recent for what it took."""
        if time.monotonic() < self._next:
            return None
        return Reason.OUT_OF_DISK if self.look(more=True) else None

    def look(self, *, more: bool = False) -> bool:
        """Count now; whether the limit is reached, or with ``more`` passed."""
        begun = time.monotonic()
        self.used, entries = self.private.measure(self.limits.files)
        self._next = begun + 4 * (time.monotonic() - begun)
        self.full = self.full or self.used >= self.limits.disk_bytes or entries >= self.limits.files
        return self.used > self.limits.disk_bytes or entries > self.limits.files if more else self.full
