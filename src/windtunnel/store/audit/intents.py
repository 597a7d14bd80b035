"""What is under way, so that an act whose process dies is not forgotten.

What holds: when ``begin`` has returned, the death of this process does not lose the beginning; with ``wait`` a power
cut does not either. One line is written to a file of this process's own, which is far cheaper than a record in the log.
What does not hold: these lines are no proof of anything; they only tell the next process what to write down.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from windtunnel.core.audit import AuditEntry
from windtunnel.core.errors import SandboxFailure
from windtunnel.store.audit.process import is_gone, this_process

_MOST_FILE = 16 * 1024**2
_FIELDS = tuple(AuditEntry.__dataclass_fields__)


class Intents:
    """The acts under way of one process, and those that dead ones left."""

    def __init__(self, folder: Path) -> None:
        """Remember where; nothing is made yet."""
        self.folder = folder
        self._lock = threading.Lock()
        self._pid = os.getpid()
        self._file = -1
        self._open: set[str] = set()

    def begin(self, entry: AuditEntry, *, wait: bool = False) -> None:
        """Write down that it began."""
        line = json.dumps({**asdict(entry), "details": {}}).encode() + b"\n"
        with self._lock, self._explained():
            os.write(self._mine(), line)
            self._open.add(entry.id)
            if wait:
                os.fsync(self._file)

    def end(self, act: str) -> None:
        """It is in the log now."""
        with self._lock:
            if act not in self._open or self._pid != os.getpid():
                return
            self._open.discard(act)
            with self._explained():
                if self._open:
                    os.write(self._file, json.dumps({"ended": act}).encode() + b"\n")
                else:
                    os.ftruncate(self._file, 0)

    def left(self) -> Iterator[tuple[Path, list[AuditEntry]]]:
        """What processes that are gone had under way, by the file in which it stands."""
        for path in sorted(self.folder.glob("*.acts")) if self.folder.is_dir() else ():
            if is_gone(path.name.removesuffix(".acts").replace("+", " ").replace(":", "/")):
                yield path, _under_way(path)

    def close(self) -> None:
        """Let go of the file; one with nothing under way is removed."""
        with self._lock:
            if self._file < 0 or self._pid != os.getpid():
                return
            if not self._open:
                with contextlib.suppress(OSError):
                    self._name().unlink()
                os.close(self._file)
                self._file = -1

    def _mine(self) -> int:
        if self._file < 0 or self._pid != os.getpid():
            # A forked child has a name of its own; the parent's file stays the parent's.
            self._pid, self._open = os.getpid(), set()
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
            self._file = os.open(self._name(), flags, 0o600)
        return self._file

    def _name(self) -> Path:
        return self.folder / f"{this_process().replace(' ', '+').replace('/', ':')}.acts"

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise SandboxFailure(
                f"{self.folder}: the audit log cannot be used: {error.strerror}; make the folder writable, or set "
                "WINDTUNNEL_STATE_DIR to another folder") from error


def _under_way(path: Path) -> list[AuditEntry]:
    """The acts of a file that have no end; a last line that was cut off is none."""
    begun: dict[str, AuditEntry] = {}
    try:
        with path.open("rb") as file:
            lines = file.read(_MOST_FILE).split(b"\n")
    except OSError:
        return []
    for line in lines[:-1]:
        try:
            told = json.loads(line)
            if "ended" in told:
                begun.pop(told["ended"], None)
            else:
                begun[told["id"]] = AuditEntry(**{name: told[name] for name in _FIELDS})
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
    return list(begun.values())
