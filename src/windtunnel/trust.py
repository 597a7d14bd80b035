"""Files that decide about safety: read whole, never through a link, and only where nobody else could have written them.

What holds: what is read is a plain file, of root or of this user, that not everyone may write to, of at most a
mebibyte; below a project, no step on the way is a link. What does not hold: nothing is said of the folders above an
absolute path.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from windtunnel.core.errors import UsageError

MOST_BYTES = 1024**2
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def read(path: Path, *, field: str) -> bytes | None:
    """The content; None when there is no such file."""
    return _read(path, str(path), folder=None, field=field)


def read_beneath(folder: Path, name: str, *, field: str) -> bytes | None:
    """The content of a file below a folder that nobody trusts; None when there is none."""
    *above, last = Path(name).parts
    try:
        at = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise UsageError(f"{folder}: not a folder: {error}", field=field) from error
    try:
        for step in above:
            inner = _step(step, at, shown=folder / name, field=field)
            if inner is None:
                return None
            os.close(at)
            at = inner
        return _read(folder / name, last, folder=at, field=field)
    finally:
        os.close(at)


def _step(name: str, at: int, *, shown: Path, field: str) -> int | None:
    try:
        return os.open(name, _FOLDER, dir_fd=at)
    except FileNotFoundError:
        return None
    except OSError as error:
        why = f"{name} on the way to it is not a folder of its own"
        raise UsageError(f"{shown}: refused: {why}", field=field) from error


def _read(shown: Path, name: str, *, folder: int | None, field: str) -> bytes | None:
    try:
        descriptor = os.open(name, _FILE, dir_fd=folder)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        link = isinstance(error, OSError) and error.errno == errno.ELOOP
        why = "a symbolic link; put the file itself there" if link else str(error)
        raise UsageError(f"{shown}: refused: {why}", field=field) from error
    try:
        doubt = _distrust(os.fstat(descriptor))
        content = b"" if doubt else _content(descriptor)
    finally:
        os.close(descriptor)
    if doubt or len(content) > MOST_BYTES:
        raise UsageError(f"{shown}: refused: {doubt or f'more than {MOST_BYTES} bytes'}", field=field)
    return content


def _content(descriptor: int) -> bytes:
    with open(descriptor, "rb", closefd=False) as file:
        return file.read(MOST_BYTES + 1)


def _distrust(found: os.stat_result) -> str | None:
    """Why a file that decides about safety may not be believed."""
    if not stat.S_ISREG(found.st_mode):
        return "not a plain file"
    if found.st_uid not in {0, os.geteuid()}:
        return f"it belongs to user {found.st_uid}; it must belong to root or to you"
    if found.st_mode & stat.S_IWOTH:
        return "everyone may write to it (chmod o-w it)"
    if found.st_size > MOST_BYTES:
        return f"more than {MOST_BYTES} bytes"
    return None
