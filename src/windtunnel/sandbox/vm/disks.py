"""The two disks of a guest: the toolchain's files, and the project. Both are read-only images kept by content."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import secrets
import stat
import time
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from windtunnel.core.errors import UsageError
from windtunnel.sandbox import debian, elf, rootfs
from windtunnel.sandbox.root import UID
from windtunnel.sandbox.rootfs import Entry, closure, entries
from windtunnel.sandbox.vm import image
from windtunnel.sandbox.vm.arguments import PROJECT_BYTES
from windtunnel.sandbox.vm.cache import Cache
from windtunnel.sandbox.vm.image import BLOCK, write_image

_KEPT_ROOTS, _KEPT_PROJECTS = 16, 4
_FORMAT = zlib.crc32(b"".join(Path(str(module.__file__)).read_bytes() for module in (rootfs, elf, debian, image)))
"""Changes with the code that says what goes into an image."""
_SETTLED_SECONDS = 1.0
"""A file changed more recently could change again without looking changed."""
_TRUST_SECONDS = 10.0
_WHOLE = re.compile(
    r"/(usr|bin|sbin|lib\w*|etc)(/(s?bin|lib\w*|share|include|alternatives))?(/[\w-]+-linux-gnu)?|/etc/ld\.so\.cache")


class Roots:
    """The disk for a set of host paths, made anew when a file among them has changed."""

    def __init__(self, cache: Cache) -> None:
        """Nothing is looked at yet."""
        self._cache = cache
        self._known: dict[tuple[str, ...], tuple[float, Path]] = {}

    def disk(self, paths: Iterable[str]) -> Path:
        """The image for toolchains at these paths; a change on the host shows after some seconds."""
        given = tuple(sorted(set(paths)))
        when, disk = self._known.get(given, (0.0, Path()))
        if time.monotonic() - when < _TRUST_SECONDS and disk.exists():
            return disk
        found = self._disk(given)
        self._known[given] = (time.monotonic(), found)
        return found

    def _disk(self, given: tuple[str, ...]) -> Path:
        index = self._cache.folder(f"index-{_digest(given)[:24]}")
        listed = _listed(index / "paths")
        if listed is not None and (place := self._place(listed)).exists():
            self._cache.touch(place)
            return place / "disk"
        listed = closure(given)
        place = self._place(listed)
        if not place.exists():
            with self._cache.making(place) as made:
                write_image(entries(listed), made / "disk")
            self._cache.keep_newest("root-*", _KEPT_ROOTS)
        self._remember(index, listed)
        return place / "disk"

    def _place(self, paths: Iterable[str]) -> Path:
        return self._cache.folder(f"root-{_digest(_stamps(paths))[:24]}")

    def _remember(self, index: Path, paths: tuple[str, ...]) -> None:
        with contextlib.suppress(FileNotFoundError):
            (index / "paths").unlink()
            index.rmdir()
        with self._cache.making(index) as made:
            (made / "paths").write_text(json.dumps([_FORMAT, *paths]), errors="surrogatepass")


def _listed(index: Path) -> tuple[str, ...] | None:
    with contextlib.suppress(OSError, ValueError):
        form, *paths = json.loads(index.read_text(errors="surrogatepass"))
        if form == _FORMAT:
            return tuple(paths)
    return None


def _stamps(paths: Iterable[str]) -> Iterator[str]:
    """What shows that a path is as it was; folders show by their time that a name came or went.

    Not those of the whole distribution, nor the loader's list of all its libraries: they change with every package.
    """
    yield str(_FORMAT)
    for path in paths:
        with contextlib.suppress(OSError):
            info = os.lstat(path)
            changed = "" if _WHOLE.fullmatch(path) else f"{info.st_size}\0{info.st_mtime_ns}"
            yield f"{path}\0{info.st_mode}\0{changed}"


def _digest(words: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for word in words:
        digest.update(os.fsencode(word) + b"\1")
    return digest.hexdigest()


# --- the project ---

def empty_disk(cache: Cache) -> Path:
    """What a machine without a project has in its place: as large, and nothing in it."""
    place = cache.folder("empty-project")
    if not place.exists():
        with cache.making(place) as made, (made / "disk").open("xb") as file:
            file.truncate(PROJECT_BYTES)
    return place / "disk"


def project_disk(cache: Cache, folder: str) -> Path:
    """An image of the folder as it is now; the folder itself is only read, and no link in it is followed."""
    found = list(project_entries(folder))
    if sum(-(-entry.size // BLOCK) + 1 for entry, _ in found) * BLOCK > PROJECT_BYTES:
        raise UsageError(f"workspace: more than {PROJECT_BYTES >> 30} GiB do not fit into a guest", field="workspace")
    stamps = [str(_FORMAT), *(f"{entry.path}\0{entry.mode}\0{entry.data!r}\0{stamp}" for entry, stamp in found)]
    newest = max((when for _, (when, *_) in found), default=0)
    if time.time_ns() - newest < _SETTLED_SECONDS * 10**9:
        stamps.append(secrets.token_hex())
    place = cache.folder(f"project-{_digest(stamps)[:24]}")
    if not place.exists():
        with cache.making(place) as made:
            write_image((entry for entry, _ in found), made / "disk", owner=UID, device_bytes=PROJECT_BYTES)
        cache.keep_newest("project-*", _KEPT_PROJECTS)
    cache.touch(place)
    return place / "disk"


Stamp = tuple[int, int, int, int]
"""Change time, modification time, inode and size."""


def project_entries(folder: str) -> Iterator[tuple[Entry, Stamp]]:
    """All files, folders and links below, every folder before what is in it; what we may not read is left out."""
    pending = [""]
    while pending:
        below = pending.pop()
        with contextlib.suppress(OSError), os.scandir(folder + below) as found:
            for item in sorted(found, key=lambda item: item.name):
                entry, stamp = _entry(f"{below}/{item.name}", item)
                if entry is not None:
                    yield entry, stamp
                    if entry.kind == "folder":
                        pending.append(entry.path)


def _entry(path: str, item: os.DirEntry[str]) -> tuple[Entry | None, Stamp]:
    info = item.stat(follow_symlinks=False)
    stamp = (info.st_ctime_ns, info.st_mtime_ns, info.st_ino, info.st_size)
    mode, when = stat.S_IMODE(info.st_mode) & 0o777, info.st_mtime_ns
    if stat.S_ISDIR(info.st_mode):
        return Entry(path=path, kind="folder", mode=mode, modified_ns=when), stamp
    if stat.S_ISLNK(info.st_mode):
        target = os.fsencode(os.readlink(item.path))  # noqa: PTH115
        return Entry(path=path, kind="link", mode=0o777, size=len(target), modified_ns=when, data=target), stamp
    if not stat.S_ISREG(info.st_mode) or not os.access(item.path, os.R_OK):
        return None, stamp
    return Entry(path=path, kind="file", mode=mode, size=info.st_size, modified_ns=when, source=item.path), stamp
