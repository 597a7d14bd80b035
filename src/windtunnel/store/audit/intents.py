"""What is under way or on its way into the log, so that the death of a process loses none of it.

What holds: when ``begin`` or ``post`` has returned, the death of this process does not lose what was said; with
``wait`` a power cut does not either. One line is written to a file of this process's own, which is far cheaper than a
record in the log. What does not hold: these lines are no proof of anything; they only tell the next process what to
write down.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path

from windtunnel.core.audit import AuditEntry
from windtunnel.core.errors import SandboxFailure
from windtunnel.store.audit.process import is_gone, this_process

_MOST_FILE = 256 * 1024**2
_MOST_KEPT = 1024**2
"""A file larger than this is begun anew when nothing in it is on its way."""
_FIELDS = tuple(name for name in AuditEntry.__dataclass_fields__ if name != "details")


class Intents:
    """The acts under way of one process, and those that dead ones left."""

    def __init__(self, folder: Path) -> None:
        """Remember where; nothing is made yet."""
        self.folder = folder
        self._lock = threading.Lock()
        self._pid = os.getpid()
        self._file = -1
        self._open: dict[str, bytes] = {}
        self._posted = 0

    def begin(self, entry: AuditEntry, *, wait: bool = False) -> None:
        """Write down that it began."""
        line = json.dumps({name: getattr(entry, name) for name in _FIELDS}).encode() + b"\n"
        with self._lock, self._explained():
            os.write(self._mine(), line)
            self._open[entry.id] = line
            if wait:
                os.fsync(self._file)

    def post(self, line: bytes, act: str) -> None:
        """Its record as JSON, which somebody will write into the log soon."""
        with self._lock, self._explained():
            os.write(self._mine(), b'{"record":%s}\n' % line)
            self._open.pop(act, None)
            self._posted += 1

    def written(self, acts: list[str], *, posted: int = 0) -> None:
        """These are in the log now, ``posted`` of them after they were posted."""
        with self._lock:
            if self._pid != os.getpid() or self._file < 0:
                return
            self._posted -= posted
            ended = [act for act in acts if self._open.pop(act, None) is not None]
            with self._explained():
                if not self._posted and (not self._open or os.fstat(self._file).st_size > _MOST_KEPT):
                    self._begin_anew()
                elif ended:
                    os.write(self._file, b"".join(json.dumps({"ended": act}).encode() + b"\n" for act in ended))

    def _begin_anew(self) -> None:
        """Keep the beginnings of what is still under way and nothing else; never neither the old nor the new."""
        if not self._open:
            os.ftruncate(self._file, 0)
            return
        fresh = self._name().with_suffix(".new")
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC,
                             0o600)
        os.write(descriptor, b"".join(self._open.values()))
        fresh.rename(self._name())
        os.close(self._file)
        self._file = descriptor

    def left(self) -> Iterator[tuple[Path, list[AuditEntry]]]:
        """What processes that are gone had under way or on its way, by the file in which it stands.

        What was under way has the outcome ``begun``.
        """
        for path in sorted(self.folder.glob("*.acts")) if self.folder.is_dir() else ():
            if is_gone(path.name.removesuffix(".acts").replace("+", " ").replace(":", "/")):
                yield path, _under_way(path)

    def under_way(self) -> bool:
        """Whether any act of any process has begun and not ended, or is on its way into the log."""
        return any(_under_way(path) for path in self.folder.glob("*.acts"))

    def close(self) -> None:
        """Let go of the file; one with nothing under way is removed."""
        with self._lock:
            if self._file < 0 or self._pid != os.getpid():
                return
            if not self._open and not self._posted:
                with contextlib.suppress(OSError):
                    self._name().unlink()
                os.close(self._file)
                self._file = -1

    def _mine(self) -> int:
        if self._file < 0 or self._pid != os.getpid():
            # A forked child has a name of its own; the parent's file stays the parent's.
            self._pid, self._open, self._posted = os.getpid(), {}, 0
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
                entry = _entry(told.get("record", told))
                begun[entry.id] = entry
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue
    return list(begun.values())


def _entry(told: dict[str, object]) -> AuditEntry:
    return AuditEntry(**{name: told[name] for name in _FIELDS}, details=told.get("details", {}))  # type: ignore[arg-type]  # as written
