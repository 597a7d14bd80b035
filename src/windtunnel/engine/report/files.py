"""Where a pack lies: a folder, or one ZIP file; written once, read within bounds.

What holds: a ZIP file appears under its name whole or not at all, and carries the hash of its own bytes, so that a
change anywhere in it is found, also where no file of it would show it. A folder is never written into when something is
in it. Names are those of a fixed list; links are not followed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Protocol

from windtunnel.core.errors import SandboxFailure, UsageError

_SEAL = b"sha256:"
_SEAL_BYTES = len(_SEAL) + 64
_NAME = re.compile(r"(receipts/[0-9a-f]{1,64}\.json)|([A-Za-z]+\.(json|jsonl|html|txt))")
_MOST_FILES = 2000
_CHUNK = 1 << 20
_STAMP = (1980, 1, 1, 0, 0, 0)


class Packed(Protocol):
    """The files of a pack, for reading."""

    def names(self) -> list[str]:
        """All of them, in order."""
        ...

    def open(self, name: str) -> contextlib.AbstractContextManager[IO[bytes]]:
        """One of them."""
        ...


class Writer(Protocol):
    """Takes the files of a pack, one after the other."""

    def open(self, name: str) -> contextlib.AbstractContextManager[IO[bytes]]:
        """A new file."""
        ...


@contextlib.contextmanager
def writing(target: Path) -> Iterator[Writer]:
    """A pack that is being made; a ZIP file where the name says so, else a folder."""
    if target.suffix == ".zip":
        with _zip_writer(target) as writer:
            yield writer
        return
    try:
        target.mkdir(mode=0o700, parents=True, exist_ok=True)
        if any(target.iterdir()):
            raise UsageError(f"--out: {target} is not empty (name a new folder, or a file that ends in .zip)",
                             field="--out")
    except OSError as error:
        raise UsageError(f"--out: {target}: {error.strerror}", field="--out") from error
    yield _FolderWriter(target)


class _FolderWriter:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @contextlib.contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        path = self._folder / name
        path.parent.mkdir(mode=0o700, exist_ok=True)
        with path.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())


class _ZipWriter:
    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive

    @contextlib.contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        about = zipfile.ZipInfo(name, date_time=_STAMP)
        about.compress_type, about.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16
        with self._archive.open(about, "w", force_zip64=True) as file:
            yield file


@contextlib.contextmanager
def _zip_writer(target: Path) -> Iterator[Writer]:
    """Into a file without a name, which gets one when it is whole; a kill before leaves nothing."""
    if os.path.lexists(target):
        raise UsageError(f"--out: {target} is there already (name another file)", field="--out")
    try:
        folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise UsageError(f"--out: {target.parent}: {error.strerror}", field="--out") from error
    try:
        with os.fdopen(os.open(target.parent, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600), "w+b") as file:
            with zipfile.ZipFile(file, "w") as archive:
                archive.comment = _SEAL + b"0" * 64
                yield _ZipWriter(archive)
            file.seek(-64, os.SEEK_END)
            file.write(_sealed(file).encode())
            file.flush()
            os.fsync(file.fileno())
            os.link(f"/proc/self/fd/{file.fileno()}", target.name, dst_dir_fd=folder, follow_symlinks=True)
        os.fsync(folder)
    except OSError as error:
        raise SandboxFailure(f"{target}: cannot be written: {error.strerror}") from error
    finally:
        os.close(folder)


def _sealed(file: IO[bytes]) -> str:
    """The hash of all before the seal; the file stands where it stood."""
    at, left = file.tell(), file.seek(0, os.SEEK_END) - _SEAL_BYTES
    hashed = hashlib.sha256()
    file.seek(0)
    while left > 0 and (data := file.read(min(left, _CHUNK))):
        hashed.update(data)
        left -= len(data)
    file.seek(at)
    return hashed.hexdigest()


def is_pack(path: Path) -> bool:
    """Whether it looks like a pack, and not like anything else that can be checked."""
    if path.is_dir():
        return True
    try:
        with path.open("rb") as file:
            return file.read(4) == b"PK\x03\x04"
    except OSError:
        return False


@contextlib.contextmanager
def reading(path: Path) -> Iterator[Packed]:
    """A pack as it lies there; a typed error for what is none."""
    try:
        if path.is_dir():
            yield _Folder(path)
            return
        with path.open("rb") as file:
            _check_seal(file)
            with zipfile.ZipFile(file) as archive:
                yield _Zip(archive)
    except (OSError, zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, zlib.error) as error:
        if isinstance(error, SandboxFailure):
            raise
        raise UsageError(f"pack: {path} cannot be read: {error}", field="pack") from error


def _check_seal(file: IO[bytes]) -> None:
    if file.seek(0, os.SEEK_END) < _SEAL_BYTES:
        raise UsageError("pack: not a pack", field="pack")
    file.seek(-_SEAL_BYTES, os.SEEK_END)
    if file.read() != _SEAL + _sealed(file).encode():
        raise UsageError("pack: the archive is not as it was written (if somebody packed it anew, unpack it and check "
                         "the folder)", field="pack")
    file.seek(0)


class _Zip:
    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive

    def names(self) -> list[str]:
        return _checked(self._archive.namelist())

    def open(self, name: str) -> contextlib.AbstractContextManager[IO[bytes]]:
        return self._archive.open(name)


class _Folder:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def names(self) -> list[str]:
        found: list[str] = []
        for path in self._folder.rglob("*"):
            mode = path.lstat().st_mode
            if not stat.S_ISDIR(mode):
                found.append(path.relative_to(self._folder).as_posix())
            if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)) or len(found) > _MOST_FILES:
                raise UsageError(f"pack: {path.name!r} is no plain file, or one too many", field="pack")
        return _checked(found)

    @contextlib.contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        descriptor = os.open(self._folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            yield file


def _checked(names: list[str]) -> list[str]:
    for name in names:
        if not _NAME.fullmatch(name):
            raise UsageError(f"pack: {name[:80]!r} is no file of a pack", field="pack")
    if len(names) != len(set(names)) or len(names) > _MOST_FILES:
        raise UsageError("pack: a file is in it twice, or there are too many", field="pack")
    return sorted(names)


def spooled(target: Path) -> IO[bytes]:
    """A file without a name beside the pack; gone when it is closed, or when we die."""
    import tempfile  # noqa: PLC0415 -- those who only check need it not

    folder = target.parent if target.suffix == ".zip" else target
    return tempfile.TemporaryFile(dir=folder)
