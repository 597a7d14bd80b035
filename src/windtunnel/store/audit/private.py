"""Files that hold secrets: made whole or not at all, read only where nobody else can have read or replaced them."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from windtunnel.core.errors import SandboxFailure

_MOST_FILE = 16 * 1024


def private_folder(folder: Path) -> Path:
    """Made for its owner alone; refused where others may put files into it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return checked_folder(folder)


def checked_folder(folder: Path) -> Path:
    """The folder, unless others may put files into it; one that is not there is fine."""
    try:
        mode = folder.stat().st_mode
    except FileNotFoundError:
        return folder
    if not stat.S_ISDIR(mode) or mode & 0o022:
        raise SandboxFailure(f"{folder}: others may put keys there (make it a folder of this user alone: "
                             f"chmod 700 {folder})")
    return folder


def write_private(path: Path, text: str) -> None:
    """All of it under its name, on the disk, or nothing."""
    draft = path.with_name(f"{path.name}.new")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.rename(path)
    sync_folder(path.parent)


def read_private(path: Path, *, instead: str) -> str:
    """What the file says; refused where others may read it, and ``instead`` says what to do then."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise SandboxFailure(f"{path}: the key cannot be read: {error.strerror}") from error
    with os.fdopen(descriptor, encoding="ascii", errors="replace") as file:
        mode = os.fstat(file.fileno()).st_mode
        if not stat.S_ISREG(mode) or mode & 0o077:
            raise SandboxFailure(f"{path}: a secret key that others may read is none ({instead})")
        return file.read(_MOST_FILE)


def sync_folder(folder: Path) -> None:
    """Wait until the names in it are on the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
