"""Regular files as the program opens them, so that they can be slow, full or wrong.

``open`` gives what it always does, over a lowest layer of our own; the functions of ``os`` are wrapped. The loading of
modules is not touched, nor are files of the interpreter, of the system and of devices. What does not hold: libraries
in C (``sqlite3``), maps of files and other processes read and write as ever.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
import stat
import sys
import time
from typing import Any, Callable, Dict, List, Optional, Tuple

from windtunnel_fault_base import Patches  # type: ignore[import-not-found]  # lies beside this file

_open, _sleep = io.open, time.sleep
_os: Dict[str, Callable[..., Any]] = {}
_OUT = ("/proc/", "/sys/", "/dev/", "/usr/", "/etc/", "/lib/", "/lib64/", "/bin/", "/sbin/")
_SHARED = "/dev/shm/"
_MODES = frozenset("rwxabt+")
_PATHS = ("open", "mkdir", "rename", "replace", "unlink", "remove", "rmdir", "truncate", "link", "symlink", "listdir",
          "scandir")
_READS, _WRITES, _SYNCS = ("read", "pread"), ("write", "pwrite"), ("fsync", "fdatasync")
_COPIES = ("sendfile", "copy_file_range")


def watched(path: Any) -> bool:
    """Whether a file of this name is one of the program's; a number is a descriptor, of which the name is looked up."""
    if isinstance(path, int):
        try:
            path = os.readlink(f"/proc/self/fd/{path}")
        except OSError:
            return False
    try:
        whole = os.path.abspath(os.fsdecode(path))
    except (TypeError, ValueError):
        return False
    if whole.startswith(_OUT):
        return whole.startswith(_SHARED)
    return not whole.startswith(tuple({prefix + "/" for prefix in (sys.prefix, sys.base_prefix) if len(prefix) > 1}))


def regular(number: int) -> bool:
    """Whether a descriptor is of a regular file of the program."""
    try:
        return stat.S_ISREG(os.fstat(number).st_mode) and watched(number)
    except OSError:
        return False


class Disk:
    """What is wrong with regular files now: ``seconds``, ``every``, ``full`` and ``encoding``."""

    def __init__(self) -> None:
        """Nothing is."""
        self.wrong: Dict[str, Any] = {}
        self.patches = Patches()

    def use(self, name: str, value: Any) -> None:
        """Let something be wrong."""
        if not self.wrong:
            self._patch()
        self.wrong[name] = value

    def drop(self, name: str) -> None:
        """Let it be right again."""
        if self.wrong.pop(name, None) is not None and not self.wrong:
            self.patches.undo()

    def _patch(self) -> None:
        for owner, name in ((builtins, "open"), (io, "open")):
            self.patches.put(owner, name, opened)
        for name in (*_PATHS, *_READS, *_WRITES, *_SYNCS, *_COPIES):
            if hasattr(os, name):
                _os[name] = getattr(os, name)
                self.patches.put(os, name, _wrapper(name))
        accessor = getattr(sys.modules.get("pathlib"), "_NormalAccessor", None)
        for name in _PATHS[1:]:
            if accessor is not None and name in vars(accessor):
                self.patches.put(accessor, name, staticmethod(getattr(os, name)))
        self.patches.spread(library=True)

    def wait(self) -> None:
        """As long as one operation of a slow disk takes."""
        seconds = self.wrong.get("seconds")
        if seconds:
            _sleep(seconds)

    def refuse(self, number: int) -> None:
        """Raise where nothing more can be written."""
        full = self.wrong.get("full")
        if full and os.fstat(number).st_dev in full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def spoil(self, data: Any, *, start: int, size: int) -> None:
        """Flip the bits that are wrong in bytes that were read from this place of a file of this size."""
        every = self.wrong.get("every")
        if every:
            for place, bit in flips(every, start=start, end=start + len(data), size=size):
                data[place - start] ^= bit


def flips(every: Tuple[int, int], *, start: int, end: int, size: int) -> List[Tuple[int, int]]:
    """One bit in each started block of so many bytes, always the same for a seed: (place, bit)."""
    length, seed = every
    found = []
    for block in range(start // length, (max(end, start + 1) - 1) // length + 1):
        chance = _mixed(seed * 0x9E3779B97F4A7C15 + block)
        place = block * length + chance % max(1, min(length, size - block * length))
        if start <= place < end:
            found.append((place, 1 << (chance >> 40) % 8))
    return found


def _mixed(number: int) -> int:
    """Splitmix64: near numbers give far ones."""
    number = (number + 0x9E3779B97F4A7C15) % 2**64
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    number = (number ^ number >> 27) * 0x94D049BB133111EB % 2**64
    return number ^ number >> 31


DISK = Disk()


class Raw(io.FileIO):
    """The lowest layer of a file that the program opened."""

    def readinto(self, buffer: Any) -> Any:
        """Late, and wrong, where the disk is."""
        DISK.wait()
        start = self._place()
        count = super().readinto(buffer)
        if count:
            DISK.spoil(memoryview(buffer).cast("B")[:count], start=start, size=os.fstat(self.fileno()).st_size)
        return count

    def readall(self) -> Any:
        """The same."""
        return self._spoiled(super().readall)

    def read(self, size: Optional[int] = -1) -> Any:
        """The same."""
        return self.readall() if size is None or size < 0 else self._spoiled(lambda: io.FileIO.read(self, size))

    def write(self, data: Any) -> Any:
        """Late, or not at all."""
        DISK.wait()
        DISK.refuse(self.fileno())
        return super().write(data)

    def _place(self) -> int:
        return self.tell() if "every" in DISK.wrong else 0

    def _spoiled(self, read: Callable[[], Any]) -> Any:
        DISK.wait()
        start = self._place()
        data = read()
        if not data or "every" not in DISK.wrong:
            return data
        changed = bytearray(data)
        DISK.spoil(changed, start=start, size=os.fstat(self.fileno()).st_size)
        return bytes(changed)


def opened(file: Any, mode: str = "r", buffering: int = -1, encoding: Any = None, errors: Any = None,  # noqa: PLR0917 -- as open
           newline: Any = None, closefd: Any = True, opener: Any = None) -> Any:  # noqa: FBT002 -- the same
    """Stands for ``open``; what is not asked rightly is refused by the real one."""
    text = isinstance(mode, str) and "b" not in mode
    if text and encoding is None:
        encoding = DISK.wrong.get("encoding")
    if not DISK.wrong.keys() - {"encoding"} or not _plain(mode, buffering) or not watched(file):
        return _open(file, mode, buffering, encoding, errors, newline, closefd, opener)
    if (text and buffering == 0) or not (text or encoding is errors is newline is None):
        return _open(file, mode, buffering, encoding, errors, newline, closefd, opener)
    DISK.wait()
    raw = Raw(file, mode.replace("b", "").replace("t", ""), closefd, opener)
    try:
        return raw if buffering == 0 else _layered(raw, mode, buffering, encoding, errors, newline)
    except BaseException:
        raw.close()
        raise


def _plain(mode: Any, buffering: Any) -> bool:
    return (isinstance(mode, str) and isinstance(buffering, int) and _MODES.issuperset(mode)
            and len(set(mode)) == len(mode) and sum(one in "rwxa" for one in mode) == 1
            and not {"b", "t"} <= set(mode))


def _layered(raw: Raw, mode: str, buffering: int, encoding: Any, errors: Any, newline: Any) -> Any:  # noqa: PLR0917 -- as of open
    size = buffering if buffering > 1 else max(getattr(os.fstat(raw.fileno()), "st_blksize", 0), io.DEFAULT_BUFFER_SIZE)
    kind: Any = io.BufferedRandom if "+" in mode else io.BufferedReader if "r" in mode else io.BufferedWriter
    buffered = kind(raw, size)
    if "b" in mode:
        return buffered
    made = io.TextIOWrapper(buffered, encoding, errors, newline, line_buffering=buffering == 1)
    made.mode = mode  # type: ignore[misc]  # as open does
    return made


def _wrapper(name: str) -> Callable[..., Any]:
    """What stands for one function of ``os``."""
    kinds = ((_READS, _reading), (_WRITES, _writing), (_SYNCS, _syncing), (_COPIES, _copying))
    make = next((kind for names, kind in kinds if name in names), _naming)
    made = make(_os[name])
    made.__name__ = name
    return made


def _naming(real: Callable[..., Any]) -> Callable[..., Any]:
    def function(*given: Any, **named: Any) -> Any:
        if watched(given[0] if given else named.get("path", named.get("src", "."))):
            DISK.wait()
        return real(*given, **named)
    return function


def _reading(real: Callable[..., Any]) -> Callable[..., Any]:
    def function(number: int, *rest: Any) -> Any:
        if not regular(number):
            return real(number, *rest)
        DISK.wait()
        start = rest[1] if len(rest) > 1 else os.lseek(number, 0, os.SEEK_CUR)
        changed = bytearray(real(number, *rest))
        DISK.spoil(changed, start=start, size=os.fstat(number).st_size)
        return bytes(changed)
    return function


def _writing(real: Callable[..., Any]) -> Callable[..., Any]:
    def function(number: int, *rest: Any) -> Any:
        if regular(number):
            DISK.wait()
            DISK.refuse(number)
        return real(number, *rest)
    return function


def _syncing(real: Callable[..., Any]) -> Callable[..., Any]:
    def function(file: Any) -> Any:
        DISK.wait()
        return real(file)
    return function


def _copying(real: Callable[..., Any]) -> Callable[..., Any]:
    def function(*given: Any, **named: Any) -> Any:
        if DISK.wrong.keys() - {"encoding"}:
            raise OSError(errno.ENOTSOCK, "files are copied by reading and writing here")
        return real(*given, **named)
    return function
