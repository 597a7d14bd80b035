"""Files below one folder, reached step by step from its descriptor, never through a link.

Each step opens one name with ``O_NOFOLLOW`` relative to the folder before it, so neither ``..`` nor a link that
appears in the middle leads out. What does not hold: a folder that someone moves out of the project while it is open
is still the same folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from windtunnel.core.errors import UsageError
from windtunnel.workspace.paths import refusal

_FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A plain file as it lies there."""

    sha: str
    """SHA-256 of the content."""
    mode: int
    """Permission bits, with the special ones."""
    stat: os.stat_result

    @property
    def mark(self) -> tuple[int, ...]:
        """Changes when the file does."""
        found = self.stat
        return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


@contextlib.contextmanager
def opened(project: Path) -> Iterator[int]:
    """The project's folder as a descriptor; refused when it is a link, missing or no folder."""
    try:
        root = os.open(project, _FOLDER)
    except (OSError, ValueError) as error:
        raise UsageError(f"project: not a folder of its own: {str(project)!r} ({error})", field="project") from error
    try:
        yield root
    finally:
        os.close(root)


@contextlib.contextmanager
def parent(root: int, path: str, *, make: bool = False) -> Iterator[tuple[int, str] | None]:
    """The folder of a file, and its last name; None when the folder is not there.

    With ``make`` missing folders are made. A link or a file among the parents is refused.
    """
    *folders, name = path.split("/")
    with contextlib.ExitStack() as stack:
        here: int | None = root
        for position, folder in enumerate(folders):
            here = _step(here, folder, path="/".join(folders[: position + 1]), whole=path, make=make)
            if here is None:
                break
            stack.callback(os.close, here)
        yield None if here is None else (here, name)


def _step(here: int | None, folder: str, *, path: str, whole: str, make: bool) -> int | None:
    assert here is not None
    try:
        if make:
            _make(here, folder)
        return os.open(folder, _FOLDER, dir_fd=here)
    except FileNotFoundError:
        return None
    except NotADirectoryError as error:
        found = os.stat(folder, dir_fd=here, follow_symlinks=False)
        kind = "a link" if stat.S_ISLNK(found.st_mode) else "no folder"
        raise refusal(whole, f"{path!r} is {kind} in the project") from error
    except OSError as error:
        raise refusal(whole, f"{path!r} cannot be entered: {error.strerror}") from error


def _make(here: int, folder: str) -> None:
    """A folder of its folder's owner, if it is not there; root would else own it in a project of another."""
    with contextlib.suppress(FileExistsError):
        os.mkdir(folder, mode=0o777, dir_fd=here)
        if os.geteuid() == 0:
            above = os.fstat(here)
            os.chown(folder, above.st_uid, above.st_gid, dir_fd=here, follow_symlinks=False)


def look(root: int, path: str) -> os.stat_result | None:
    """What lies at the path, links not followed; None for nothing. Links among the parents are refused."""
    with parent(root, path) as place:
        if place is None:
            return None
        try:
            return os.stat(place[1], dir_fd=place[0], follow_symlinks=False)
        except FileNotFoundError:
            return None


def look_for_file(root: int, path: str) -> os.stat_result | None:
    """As ``look``, and refuses what is neither a plain file nor missing."""
    found = look(root, path)
    if found is not None and not stat.S_ISREG(found.st_mode):
        raise refusal(path, f"there is {kind_of(found.st_mode)} of that name in the project; only plain files change")
    return found


def kind_of(mode: int) -> str:
    """What it is, for a message."""
    names = {stat.S_IFLNK: "a link", stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket",
             stat.S_IFREG: "a file"}
    return names.get(stat.S_IFMT(mode), "a device")


@contextlib.contextmanager
def reading(root: int, path: str) -> Iterator[int | None]:
    """A descriptor of a plain file; None when nothing is there."""
    with parent(root, path) as place:
        if place is None or look_for_file(root, path) is None:
            yield None
            return
        try:
            descriptor = os.open(place[1], _FILE, dir_fd=place[0])
        except OSError as error:
            raise refusal(path, f"cannot be read: {error.strerror}") from error
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise refusal(path, "changed its kind while it was looked at")
            yield descriptor
        finally:
            os.close(descriptor)


def read(root: int, path: str) -> tuple[bytes, int] | None:
    """Content and permission bits of a plain file; None when nothing is there."""
    with reading(root, path) as descriptor:
        if descriptor is None:
            return None
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(), stat.S_IMODE(os.fstat(descriptor).st_mode)


def find(root: int, path: str) -> Found | None:
    """Hash and mode of a plain file; None when nothing is there."""
    with reading(root, path) as descriptor:
        if descriptor is None:
            return None
        found = os.fstat(descriptor)
        with open(descriptor, "rb", closefd=False) as file:
            sha = hashlib.file_digest(file, "sha256").hexdigest()
        return Found(sha=sha, mode=stat.S_IMODE(found.st_mode), stat=found)


def names(root: int, folder: str) -> list[str]:
    """What a folder of the project holds; nothing for one that is not there or may not be listed."""
    with parent(root, f"{folder}/." if folder else ".") as place:
        if place is None:
            return []
        try:
            descriptor = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=place[0])
        except OSError:
            return []
        try:
            return os.listdir(descriptor)  # noqa: PTH208 -- of a descriptor, not of a path
        finally:
            os.close(descriptor)
