"""Where checkpoints are sent so that the log's writer cannot reach them any more, and read again from there.

``file:FOLDER`` keeps each note as a file of its own, ``https://…`` posts it, ``git:PATH#BRANCH`` commits it. Each
is one small file beside this one.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from pathlib import Path
from typing import Protocol

from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.store.audit.checkpoint import Checkpoint
from windtunnel.store.audit.note import MOST_NOTE

_SCHEMES = re.compile(r"file:|git:|https?:|plain-http:")
_MOST_TEXT = 2000
_MOST_NOTES = 1_000_000
ENDING = ".note"


class Destination(Protocol):
    """One place; ``send`` is bounded in time."""

    @property
    def name(self) -> str:
        """What it is called in records and messages; with no secret in it."""
        ...

    def send(self, note: str, checkpoint: Checkpoint) -> str:
        """Have the note there; what was done, in a few words. A typed error where it could not be."""
        ...


def is_destination(text: str) -> bool:
    """Whether it names a place, and not a plain file."""
    return _SCHEMES.match(text) is not None


def destination(text: str) -> Destination:
    """A place by its name; a typed error for what is none."""
    scheme, _, rest = text.partition(":")
    if len(text) > _MOST_TEXT or not text.isprintable() or not is_destination(text) or not rest:
        raise UsageError(f"checkpoint: {text[:80]!r} is no place (try file:/mnt/notes, https://host/path or "
                         "git:/srv/notes.git#checkpoints)", field="checkpoint")
    if scheme == "file":
        return FolderPlace(_absolute(rest))
    if scheme == "git":
        from windtunnel.store.audit.destination_git import git_place  # noqa: PLC0415 -- few need it

        return git_place(rest)
    from windtunnel.store.audit.destination_http import http_place  # noqa: PLC0415

    return http_place(text)


def kept(place: str) -> list[str]:
    """The notes in a folder or a repository, all of them; a typed error where there are none."""
    if place.startswith("git:"):
        from windtunnel.store.audit.destination_git import git_place  # noqa: PLC0415

        found = git_place(place.removeprefix("git:")).kept()
    else:
        found = FolderPlace(_absolute(place)).kept()
    if not found:
        raise UsageError(f"{place[:200]}: there is no checkpoint in it", field="checkpoint")
    return found


def file_name(checkpoint: Checkpoint) -> str:
    """What a note is called: by size, and by head too, so that one for a rewritten log never takes its place."""
    return f"{checkpoint.size:012d}-{checkpoint.root.hex()[:16]}{ENDING}"


def _absolute(text: str) -> Path:
    return Path(os.path.abspath(text))  # noqa: PTH100 -- without following links


class FolderPlace:
    """A folder that gets one file for each checkpoint; none is ever written twice.

    What holds: a file is there whole or not at all, also after a power cut. What does not hold: whoever may write the
    folder may remove files from it; put it where the log's writer can only add (another machine, a write-once medium).
    """

    def __init__(self, folder: Path) -> None:
        """Remember where; nothing is made yet."""
        self.folder = folder

    @property
    def name(self) -> str:
        """The folder."""
        return f"file:{self.folder}"

    def send(self, note: str, checkpoint: Checkpoint) -> str:
        """Write it, unless it is there."""
        name = file_name(checkpoint)
        try:
            self.folder.mkdir(mode=0o700, exist_ok=True)
            at = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                _link(at, name, note.encode())
                os.fsync(at)
            finally:
                os.close(at)
        except FileExistsError:
            return f"{name} was there already"
        except OSError as error:
            raise SandboxFailure(f"{self.folder}: {error.strerror}") from error
        return f"{name} written"

    def kept(self) -> list[str]:
        """All notes, oldest first."""
        try:
            names = sorted(name for name in os.listdir(self.folder) if name.endswith(ENDING))  # noqa: PTH208 -- names alone
            if len(names) > _MOST_NOTES:
                raise UsageError(f"{self.folder}: more than {_MOST_NOTES} checkpoints", field="checkpoint")
            return [_read(self.folder / name) for name in names]
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{self.folder}: cannot be read: {error}", field="checkpoint") from error


def _link(at: int, name: str, data: bytes) -> None:
    """A file that has a name only once all of it is on the disk; where there are none without a name, a hidden one."""
    try:
        descriptor, draft = os.open(".", os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, 0o600, dir_fd=at), ""
    except OSError:
        draft = f".{name}.{os.getpid()}"
        with contextlib.suppress(FileNotFoundError):
            os.unlink(draft, dir_fd=at)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(draft, flags, 0o600, dir_fd=at)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            if draft:
                os.link(draft, name, src_dir_fd=at, dst_dir_fd=at, follow_symlinks=False)
            else:
                os.link(f"/proc/self/fd/{file.fileno()}", name, dst_dir_fd=at, follow_symlinks=True)
    finally:
        if draft:
            os.unlink(draft, dir_fd=at)


def _read(path: Path) -> str:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise UsageError(f"{path}: not a plain file", field="checkpoint")
        return file.read(MOST_NOTE + 1).decode()
