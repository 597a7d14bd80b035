"""Promotions written down before they happen: enough to finish them, to take them back, and to know which is needed.

One folder for each entry, private to its user:

    plan.json    what will change, with the hashes and modes of before and after
    old/N        the bytes that file N of the plan had
    new/N        the bytes it will have; moved into the project, so gone when it is done
    kept/N       what a forced undo found and replaced
    done, undoing, undone, stuck    how far it came

An entry appears under its name in one step, when all of it is on the disk; before that it begins with ``.new-``, and
while it is removed with ``.gone-``. Both are swept by the next ``recover``.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeAlias

from windtunnel.core.errors import SandboxFailure

State: TypeAlias = Literal["half done", "applied", "undoing", "undone", "stuck"]
MOST_ENTRIES = 100
_NAME = re.compile(r"\d{4,9}-[0-9a-f]{8}")
_LOCK_SECONDS, _PAUSE_SECONDS = 30.0, 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """One file of a promotion, before and after; None where there is no file."""

    path: str
    old_sha: str | None
    new_sha: str | None
    old_mode: int | None
    new_mode: int | None
    owner: tuple[int, int] | None = None
    """User and group of both; None leaves it to the system."""
    attributes: Mapping[str, str] = field(default_factory=dict)
    """Extended attributes of the old file that are carried over, in hexadecimal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One promotion."""

    id: str
    trial: str
    project: str
    time: str
    """In UTC, ISO 8601."""
    files: tuple[Touched, ...]
    folders: tuple[str, ...] = ()
    """Those it makes, outermost first."""
    state: State = "half done"

    @property
    def paths(self) -> tuple[str, ...]:
        """The files it touches."""
        return tuple(file.path for file in self.files)


def open_folder(folder: Path) -> None:
    """Make the journal's folder, for this user alone."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


@contextlib.contextmanager
def locked(folder: Path, *, wait: bool = True) -> Iterator[bool]:
    """Alone with the journal; without ``wait`` gives False at once when another process is at work."""
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        held = take(descriptor, seconds=_LOCK_SECONDS if wait else 0.0)
        if wait and not held:
            raise SandboxFailure(f"another process has been at work for {_LOCK_SECONDS:g} seconds; try again")
        yield held
    finally:
        os.close(descriptor)


def take(descriptor: int, *, seconds: float) -> bool:
    """Lock a file for ourselves, waiting so long."""
    end = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                return False
            time.sleep(_PAUSE_SECONDS)
        else:
            return True


def new_name(folder: Path) -> str:
    """A number after the last, so that entries sort in their order whatever the clock does."""
    numbers = [int(name.split("-")[0]) for name in _names(folder)]
    return f"{max(numbers, default=0) + 1:04d}-{secrets.token_hex(4)}"


def begin(folder: Path, name: str) -> Path:
    """A place to gather an entry in, not yet one."""
    place = folder / f".new-{name}"
    for part in (place, place / "old", place / "new"):
        part.mkdir(mode=0o700)
    return place


def commit(folder: Path, entry: Entry) -> Path:
    """Turn what was gathered into an entry; from here on a crash is recovered from."""
    place, final = folder / f".new-{entry.id}", folder / entry.id
    told = asdict(entry)
    del told["state"]
    write(place / "plan.json", json.dumps(told).encode())
    for part in (place / "old", place / "new", place):
        sync(part)
    place.rename(final)
    sync(folder)
    return final


def write(path: Path, data: bytes) -> None:
    """A new private file whose bytes are on the disk when this returns."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(descriptor)


def sync(path: Path | int) -> None:
    """Have a folder's names on the disk, where the file system can."""
    with contextlib.suppress(OSError):
        folder = os.open(path if isinstance(path, Path) else ".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC,
                         dir_fd=None if isinstance(path, Path) else path)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def mark(folder: Path, name: str, state: str) -> None:
    """Say how far an entry came."""
    with contextlib.suppress(FileExistsError):
        write(folder / name / state, b"")
    sync(folder / name)


def discard(folder: Path, name: str) -> None:
    """Remove an entry, in one step for whoever looks on."""
    gone = folder / f".gone-{name}"
    (folder / name).rename(gone)
    shutil.rmtree(gone, ignore_errors=True)


def sweep(folder: Path) -> None:
    """Remove what never became an entry or is none any more."""
    for path in folder.iterdir():
        if path.name.startswith((".new-", ".gone-")):
            shutil.rmtree(path, ignore_errors=True)


def prune(folder: Path) -> None:
    """Forget the oldest entries that are done with."""
    settled = [entry.id for entry in load_all(folder) if entry.state in ("applied", "undone")]
    for name in settled[:-MOST_ENTRIES]:
        discard(folder, name)


def _names(folder: Path) -> list[str]:
    if not folder.is_dir():
        return []
    return sorted((path.name for path in folder.iterdir() if _NAME.fullmatch(path.name)),
                  key=lambda name: (int(name.split("-")[0]), name))


def load_all(folder: Path) -> list[Entry]:
    """Every entry that can be read, oldest first."""
    return [entry for name in _names(folder) if (entry := _load(folder / name))]


def _load(place: Path) -> Entry | None:
    try:
        told = json.loads((place / "plan.json").read_bytes())
        files = [Touched(**(row | {"owner": tuple(row["owner"]) if row["owner"] else None})) for row in told["files"]]
        return Entry(**(told | {"files": tuple(files), "folders": tuple(told["folders"]), "state": _state(place)}))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _state(place: Path) -> State:
    states: tuple[State, ...] = ("stuck", "undone", "undoing")
    for name in states:
        if (place / name).exists():
            return name
    return "applied" if (place / "done").exists() else "half done"


def now() -> str:
    """The time for an entry."""
    return datetime.now(UTC).isoformat(timespec="seconds")
