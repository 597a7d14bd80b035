"""A disk that is full, slow, read-only or that gives back other bytes than were written."""

from __future__ import annotations

import contextlib
import errno
import mmap
import os
import sys
import tempfile
import time
from typing import Any, List, Set

from windtunnel_fault_base import Fault, Measured, Option, Own, Patches  # type: ignore[import-not-found]  # lies beside this file
from windtunnel_fault_files import DISK, watched  # type: ignore[import-not-found]  # the same

_MIB = 1024**2
_BLOCK = 64 * 1024
_monotonic, _access = time.monotonic, os.access


def places() -> List[str]:
    """Folders that the program may write to, each once."""
    found = [os.environ.get("TMPDIR", ""), "/tmp", "/dev/shm", "/workspace", os.environ.get("HOME", ""), os.getcwd()]
    return [place for number, place in enumerate(found)
            if place and place not in found[:number] and os.path.isdir(place) and _access(place, os.W_OK)]


class DiskFull(Fault):  # type: ignore[misc]  # known only where it runs
    """Every place that can be written to is filled by a file without a name; the next write is a real ``ENOSPC``.

    The files vanish with this process. At most ``most_bytes`` are taken in all, since they are memory in a sandbox:
    where more is free, writing is refused inside this process instead. Whoever reports must not need a file for it.
    ``left_bytes`` are given back, for a program that does not start without any.
    """

    name = "disk_full"
    options = {"most_bytes": Option(128 * _MIB, 0, 2**40), "left_bytes": Option(0, 0, 2**40)}

    def begin(self) -> None:
        self.files: List[Any] = []
        left = int(self.values["most_bytes"])
        beyond: Set[int] = set()
        for place in places():
            free = _free(place)
            if free > left:
                beyond.add(os.stat(place).st_dev)
            elif free:
                left -= free
                self.files.append(Own(_filled(place, free)))
        for file in self.files:
            _shortened(file.number, int(self.values["left_bytes"]))
        if beyond:
            self.approximate, self.reason = True, f"more than {int(self.values['most_bytes']) // _MIB} MiB are free"
            DISK.use("full", beyond)

    def end(self) -> None:
        DISK.drop("full")
        for file in self.__dict__.pop("files", []):
            file.close()

    def probe(self) -> Measured:
        """Write to each place until refused, or 1 MiB."""
        fitted = {place: _fitting(place) for place in places()}
        return Measured(", ".join(f"{count} bytes fitted in {place}" for place, count in fitted.items()),
                        bool(fitted) and all(count <= self.values["left_bytes"] for count in fitted.values()))


def _free(place: str) -> int:
    found = os.statvfs(place)
    return found.f_bavail * found.f_frsize


def _filled(place: str, free: int) -> int:
    """The descriptor of a file without a name that takes all that is free."""
    number, path = tempfile.mkstemp(dir=place)
    os.unlink(path)
    size = 0
    while free >= 4096:  # noqa: PLR2004 -- a page, the least that is given
        try:
            os.posix_fallocate(number, size, free)
            size += free
        except OSError:
            free //= 2
    os.lseek(number, 0, os.SEEK_END)
    with contextlib.suppress(OSError):
        while os.write(number, bytes(4096)):
            pass
    return number


def _shortened(number: int, left: int) -> None:
    """Give so much back, where the file has more."""
    size = os.lseek(number, 0, os.SEEK_END)
    if 0 < left < size:
        os.ftruncate(number, size - left)


def _fitting(place: str) -> int:
    try:
        number, path = tempfile.mkstemp(dir=place)
    except OSError:
        return 0
    os.unlink(path)
    count = 0
    try:
        while count < _MIB:
            count += os.write(number, bytes(_BLOCK))
    except OSError:
        return count
    finally:
        os.close(number)
    return count


class SlowDisk(Fault):  # type: ignore[misc]  # known only where it runs
    """Each opening, reading, writing and syncing of a regular file waits."""

    name = "slow_disk"
    options = {"seconds": Option(0.05, 0.0001, 10.0)}
    approximate = True

    def begin(self) -> None:
        DISK.use("seconds", self.values["seconds"])

    def end(self) -> None:
        DISK.drop("seconds")

    def probe(self) -> Measured:
        """The time of a read of 4 KiB."""
        with _sample() as file:
            began = _monotonic()
            os.pread(file.fileno(), 4096, 0)
            taken = _monotonic() - began
        return Measured(f"{taken * 1000:.1f} ms for each read of 4 KiB", taken >= self.values["seconds"])


class CorruptedReads(Fault):  # type: ignore[misc]  # known only where it runs
    """One bit is flipped in each started block of so many bytes; reading again gives the same."""

    name = "corrupted_reads"
    options = {"every_bytes": Option(64, 1, 2**40), "seed": Option(0, 0, 2**53)}
    approximate = True

    def begin(self) -> None:
        DISK.use("every", (int(self.values["every_bytes"]), int(self.values["seed"])))

    def end(self) -> None:
        DISK.drop("every")

    def probe(self) -> Measured:
        """Compare with the bytes as they are."""
        with _sample() as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as right:
            wrong = sum(one != other for one, other in zip(file.read(), right[:]))
            size = len(right)
        least = max(1, size // int(self.values["every_bytes"]))
        return Measured(f"{wrong} of {size} bytes read are wrong", wrong >= least)


def _sample() -> Any:
    """A file that the program could read: this one, since there may be no room for another."""
    if watched(__file__):
        return open(__file__, "rb")
    file = tempfile.TemporaryFile()  # noqa: SIM115 -- closed by who asked
    file.write(bytes(_BLOCK))
    file.seek(0)
    return file


_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_CHANGES = frozenset(("os.remove", "os.rmdir", "os.rename", "os.link", "os.truncate", "os.chmod", "os.chown",
                      "os.utime", "os.setxattr", "os.removexattr"))
_MAKES = frozenset(("os.mkdir", "os.symlink"))


class ReadOnlyDisk(Fault):  # type: ignore[misc]  # known only where it runs
    """Whatever would write to a file system is refused with ``EROFS``, however it was reached from Python.

    The interpreter itself asks (an audit hook), so that no name need be patched. What does not hold: files that are
    open already, libraries in C, and other processes can write.
    """

    name = "read_only_disk"
    approximate = True

    def begin(self) -> None:
        global _hooked  # noqa: PLW0603 -- a hook cannot be taken back, so there is one
        if not _hooked:
            sys.addaudithook(_hook)
            _hooked = True
        self.patches = Patches()
        self.patches.put(os, "access", _asked)
        self.patches.put(os, "mkfifo", _refuse)
        self.patches.put(os, "mknod", _refuse)
        self.patches.spread(library=True)
        _switch["on"] = True

    def end(self) -> None:
        _switch["on"] = False
        self.patches.undo()

    def probe(self) -> Measured:
        """Try to make a file in each place."""
        made = [place for place in places() if _made(os.path.join(place, f".windtunnel-{os.getpid()}"))]
        return Measured("files can be made in " + (", ".join(made) or "no place"), not made)


_hooked = False
_switch = {"on": False}


def _made(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError as problem:
        return problem.errno != errno.EROFS
    os.unlink(path)
    return True


def _hook(event: str, given: Any) -> None:
    """Called by the interpreter for each act it can be asked about."""
    if not _switch["on"]:
        return
    if event == "open":
        path, _, flags = given
        if not isinstance(path, int) and isinstance(flags, int) and flags & _WRITING and _would_write(path, flags):
            _refuse(path)
    elif event in _CHANGES:
        if not isinstance(given[0], int) and watched(given[0]):
            _refuse(given[0])
    elif event in _MAKES:
        path = given[1] if event == "os.symlink" else given[0]
        if watched(path) and not os.path.lexists(path) and os.path.isdir(os.path.dirname(os.path.abspath(path))):
            _refuse(path)


def _would_write(path: Any, flags: int) -> bool:
    """Not where the kernel has another complaint first: no such folder, or no such file and none to be made."""
    if not watched(path):
        return False
    if os.path.exists(path):
        return not os.path.isdir(path) or flags & os.O_TMPFILE == os.O_TMPFILE
    return bool(flags & os.O_CREAT) and os.path.isdir(os.path.dirname(os.path.abspath(path)))


def _asked(path: Any, mode: int, **named: Any) -> bool:
    """Stands for ``os.access``."""
    return not (mode & os.W_OK and watched(path)) and _access(path, mode, **named)


def _refuse(path: Any, *_: Any, **__: Any) -> None:
    raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)
