"""The journal of one long run: what it is, and each cycle that it finished.

One folder for each run, private to its user:

    run.json       id, seed and options; written once, in one step
    cycles.jsonl   one line for each finished cycle, in order
    scratch/       what the cycle under way has written; emptied when it begins

What holds: when ``append`` has returned, the cycle is on the disk; one that was killed in the middle of it left at most
half a line, which is found and cut off when the journal is opened again. Of two processes that want to go on with one
run, one gets it. What does not hold: what a cycle did elsewhere before it was killed is done again, so a cycle should
write nowhere but into its scratch folder before it is finished.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from windtunnel.core.errors import NotFound, SandboxFailure, UsageError
from windtunnel.core.randomness import fresh_id
from windtunnel.engine.recovery.records import Record, line_of, records_in

_HEAD, _CYCLES, _SCRATCH = "run.json", "cycles.jsonl", "scratch"
_VERSION = 1
_MOST_HEAD = 1024**2
_WAIT_SECONDS, _PAUSE_SECONDS = 5.0, 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What a run is, from its beginning to its end."""

    id: str
    seed: int
    options: Mapping[str, Any] = field(default_factory=dict)
    """As they were given, as JSON, so that whoever goes on with the run does the same."""
    version: int = _VERSION

    def __post_init__(self) -> None:
        """Refuse what a later reader could not take."""
        if type(self.seed) is not int:
            raise UsageError(f"seed: {self.seed!r:.40} is not a whole number", field="seed")
        if self.version != _VERSION:
            raise UsageError(f"version: {self.version!r:.40} is not a version of a journal that is known here (only "
                             f"{_VERSION})", field="version")


class Journal:
    """Held by one process from opening to closing; not for several threads."""

    def __init__(self, folder: Path, *, wait_seconds: float = _WAIT_SECONDS) -> None:
        """Open the journal of a run, and cut off what a crash left half written."""
        self.folder = folder
        self.head = head_of(folder)
        self._file = os.open(folder / _CYCLES, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            _hold(self._file, folder, wait_seconds)
            found, self._end = records_in(folder / _CYCLES)
            self.cut_bytes = os.fstat(self._file).st_size - self._end
            """Of a line that was never finished."""
            if self.cut_bytes:
                self._cut()
        except BaseException:
            self.close()
            raise
        self._records = found

    @classmethod
    def begin(cls, folder: Path, *, seed: int, options: Mapping[str, Any] | None = None) -> Self:
        """Of a new run; a folder that holds one already is refused."""
        if (folder / _HEAD).exists():
            raise _taken(folder)
        head = Head(id=fresh_id(), seed=seed, options=options or {})
        try:
            text = json.dumps(asdict(head), sort_keys=True, indent=2, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise UsageError(f"options: cannot be written as JSON: {error}", field="options") from error
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write_new(folder / _HEAD, text.encode(), by=head.id)
        except FileExistsError:
            raise _taken(folder) from None
        except OSError as error:
            raise SandboxFailure(f"{folder}: a run cannot be begun there: {error.strerror}") from error
        return cls(folder)

    @classmethod
    def go_on(cls, folder: Path, *, seed: int, options: Mapping[str, Any] | None = None) -> Self:
        """The run in the folder, which must be of this seed and these options; where there is none, a new one."""
        if not (folder / _HEAD).exists():
            return cls.begin(folder, seed=seed, options=options)
        made = cls(folder)
        if (made.head.seed, made.head.options) != (seed, json.loads(json.dumps(options or {}, default=str))):
            made.close()
            raise UsageError(f"{folder}: holds a run with another seed or other options (name another folder)",
                             field="folder")
        return made

    @property
    def records(self) -> tuple[Record, ...]:
        """What each finished cycle gave, in order."""
        return tuple(self._records)

    @property
    def finished(self) -> int:
        """How many cycles are done; the number of the next one."""
        return len(self._records)

    def append(self, told: Record) -> None:
        """Cycle ``finished`` is done; when this returns, it is on the disk. On an error the journal is as before."""
        line = line_of(self.finished, told)
        kept = json.loads(line)["told"]
        try:
            _write_all(self._file, line)
            os.fsync(self._file)
        except OSError as error:
            self._cut()
            raise SandboxFailure(f"{self.folder / _CYCLES}: cycle {self.finished} cannot be written: {error.strerror}"
                                 ) from error
        self._end += len(line)
        self._records.append(kept)

    def scratch(self) -> Path:
        """An empty folder for the cycle that begins."""
        folder = self.folder / _SCRATCH
        shutil.rmtree(folder, ignore_errors=True)
        try:
            folder.mkdir(mode=0o700)
        except OSError as error:
            raise SandboxFailure(f"{folder}: cannot be emptied for a cycle: {error.strerror}") from error
        return folder

    def close(self) -> None:
        """Let go of it."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _cut(self) -> None:
        os.ftruncate(self._file, self._end)
        os.fsync(self._file)

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()


def head_of(folder: Path) -> Head:
    """What the run in this folder is."""
    try:
        with (folder / _HEAD).open("rb") as file:
            text = file.read(_MOST_HEAD + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise NotFound(f"{folder}: holds no journal of a run (there is no {_HEAD})", field="folder") from None
    try:
        return _head(json.loads(text))
    except (ValueError, RecursionError, TypeError) as error:
        raise UsageError(f"{folder / _HEAD}: not the head of a run: {error}", field="folder") from error


def _head(told: object) -> Head:
    names = {"id": str, "seed": int, "options": dict, "version": int}
    if not isinstance(told, dict) or told.keys() != names.keys():
        raise ValueError(f"it should hold {', '.join(names)} and nothing else")
    for name, kind in names.items():
        if type(told[name]) is not kind:
            raise ValueError(f"{name} is {told[name]!r:.40}")
    return Head(**told)


def finished_in(folder: Path) -> list[Record]:
    """The finished cycles of a run that another process may be at work on; nothing is held or cut."""
    try:
        return records_in(folder / _CYCLES)[0]
    except FileNotFoundError:
        return []


def _hold(descriptor: int, folder: Path, wait_seconds: float) -> None:
    """The kernel lets go when the process dies; what it left behind may need a moment for that."""
    until = time.monotonic() + wait_seconds
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                raise UsageError(f"{folder}: another process is at work on this run", field="folder") from None
            time.sleep(_PAUSE_SECONDS)
        else:
            return


def _taken(folder: Path) -> UsageError:
    return UsageError(f"{folder}: holds the journal of a run already (resume it, or name another folder)",
                      field="folder")


def _write_new(path: Path, data: bytes, *, by: str) -> None:
    """In one step: after a crash there is all of it, or nothing; of two who do it at once, one gets an error."""
    new = path.with_name(f".{path.name}.{by}")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        _write_all(descriptor, data)
        os.fsync(descriptor)
        path.hardlink_to(new)
    finally:
        os.close(descriptor)
        new.unlink()
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_all(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left):]
