"""A project for a container, prepared on the host without following anything it holds."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Iterator, Sequence

from windtunnel.core.errors import SandboxFailure

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_CHUNK = 1 << 24


def copy_tree(source: str, target: str, *, uid: int | None) -> None:
    """Folders, plain files and links, with their modes; anything else is left out, as is what cannot be read.

    Each folder is opened anew from the top, step by step, so that a wide tree holds no more open than a narrow one.
    """
    tops = os.open(source, _FOLDER), os.open(target, _FOLDER)
    pending: list[tuple[str, ...]] = [()]
    try:
        while pending:
            steps = pending.pop()
            with _below(tops[0], steps) as old, _below(tops[1], steps) as new:
                pending += [(*steps, name) for name in _copy_folder(old, new, uid=uid)]
    finally:
        for top in tops:
            os.close(top)


@contextlib.contextmanager
def _below(top: int, steps: Sequence[str]) -> Iterator[int]:
    folder = os.dup(top)
    try:
        for step in steps:
            folder = _step(folder, step, make=False, uid=None)
        yield folder
    finally:
        os.close(folder)


def _entries(folder: int) -> Iterator[tuple[str, os.stat_result]]:
    for name in os.listdir(folder):
        with contextlib.suppress(FileNotFoundError, PermissionError):
            yield name, os.stat(name, dir_fd=folder, follow_symlinks=False)


def _copy_folder(old: int, new: int, *, uid: int | None) -> list[str]:
    """Its entries; the folders among them are made, and still to be filled."""
    folders = []
    for name, info in _entries(old):
        if stat.S_ISLNK(info.st_mode):
            os.symlink(os.readlink(name, dir_fd=old), name, dir_fd=new)
            _give(name, new, uid=uid)
        elif stat.S_ISREG(info.st_mode):
            _copy_file(name, info, old=old, new=new, uid=uid)
        elif stat.S_ISDIR(info.st_mode) and _may_enter(name, old):
            os.mkdir(name, 0o700, dir_fd=new)
            _give(name, new, uid=uid)
            os.chmod(name, stat.S_IMODE(info.st_mode) | 0o700, dir_fd=new)
            folders.append(name)
    return folders


def _may_enter(name: str, folder: int) -> bool:
    return os.access(name, os.R_OK | os.X_OK, dir_fd=folder, effective_ids=True)


def _copy_file(name: str, info: os.stat_result, *, old: int, new: int, uid: int | None) -> None:
    try:
        read = os.open(name, _FILE, dir_fd=old)
    except (FileNotFoundError, PermissionError):
        return
    try:
        write = os.open(name, _NEW, 0o600, dir_fd=new)
        try:
            while os.sendfile(write, read, None, _CHUNK):  # copy_file_range refuses to leave a file system
                pass
            if uid is not None:
                os.fchown(write, uid, uid)
            os.fchmod(write, stat.S_IMODE(info.st_mode))
            os.utime(write, ns=(info.st_atime_ns, info.st_mtime_ns))
        finally:
            os.close(write)
    finally:
        os.close(read)


def _give(name: str, folder: int, *, uid: int | None) -> None:
    if uid is not None:
        os.chown(name, uid, uid, dir_fd=folder, follow_symlinks=False)


def lay_over(top: int, path: str, *, data: bytes | None, mode: int | None, uid: int | None) -> None:
    """Put one file, link or folder in its place, or take it away; what was there is replaced, no link is followed."""
    *folders, name = steps = path.split("/")
    if not all(steps) or {".", ".."} & set(steps) or "\0" in path:
        raise SandboxFailure(f"the change cannot be laid over {path[:200]!r}: not a relative path")
    folder = os.dup(top)
    try:
        for step in folders:
            folder = _step(folder, step, make=data is not None, uid=uid)
        _replace(folder, name, data=data, mode=mode, uid=uid)
    except FileNotFoundError:
        return  # what is to be deleted is not there
    except OSError as error:
        raise SandboxFailure(f"the change cannot be laid over {path[:200]!r}: {error.strerror}") from error
    finally:
        os.close(folder)


def _replace(folder: int, name: str, *, data: bytes | None, mode: int | None, uid: int | None) -> None:
    old, kind = _mode_of(folder, name), stat.S_IFMT(mode or 0)
    if old is not None and not kind == stat.S_IFMT(old) == stat.S_IFDIR:
        _take_away(folder, name, old)
    if data is None:
        return
    if kind == stat.S_IFLNK:
        os.symlink(data, os.fsencode(name), dir_fd=folder)
        _give(name, folder, uid=uid)
    elif kind == stat.S_IFDIR:
        _make_folder(folder, name, mode=stat.S_IMODE(mode or 0), uid=uid)
    else:
        kept = 0o644 if old is None or not stat.S_ISREG(old) else old & 0o777
        _write(folder, name, data=data, mode=kept if mode is None else mode, uid=uid)


def _take_away(folder: int, name: str, mode: int) -> None:
    """A file or a link, or a folder with all that is in it."""
    if stat.S_ISDIR(mode):
        shutil.rmtree(name, dir_fd=folder)
    else:
        os.unlink(name, dir_fd=folder)


def _make_folder(folder: int, name: str, *, mode: int, uid: int | None) -> None:
    """One that we can put further files into."""
    made = _step(os.dup(folder), name, make=True, uid=uid)
    try:
        os.fchmod(made, mode | 0o700)
    finally:
        os.close(made)


def _step(folder: int, name: str, *, make: bool, uid: int | None) -> int:
    """One folder deeper; the one above is let go."""
    if make and _mode_of(folder, name) is None:
        os.mkdir(name, 0o755, dir_fd=folder)
        _give(name, folder, uid=uid)
    deeper = os.open(name, _FOLDER, dir_fd=folder)
    os.close(folder)
    return deeper


def _mode_of(folder: int, name: str) -> int | None:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return None


def _write(folder: int, name: str, *, data: bytes, mode: int, uid: int | None) -> None:
    descriptor = os.open(name, _NEW, 0o600, dir_fd=folder)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest):]
        if uid is not None:
            os.fchown(descriptor, uid, uid)
        os.fchmod(descriptor, mode)
    finally:
        os.close(descriptor)
