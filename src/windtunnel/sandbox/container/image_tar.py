"""The file systems of images, as tar archives: an empty one to bind into, and what packages leave, cleaned.

Everything belongs to root and has no powers of its own: no device, no set-user-id bit, no capability. What would
tell of this machine (mirrors, logs, caches, its users) is left out. Pure: reads and writes streams, never the disk.
"""

from __future__ import annotations

import io
import stat
import tarfile
from collections.abc import Container, Iterable, Iterator
from pathlib import PurePosixPath
from typing import IO

from windtunnel.core.errors import SandboxFailure
from windtunnel.sandbox.root import ETC, FOLDERS, Root

_FOLDERS = ("/proc", "/sys", "/dev", "/etc", "/run", "/usr", *FOLDERS)
_SHARED = ("/tmp",)  # noqa: S108 -- inside the image; a tmpfs mounted there takes its mode from it
_LEFT_OUT = ("dev", "boot", "media", "mnt", "proc", "sys", "run", "tmp", "etc/apt", "etc/machine-id", "etc/resolv.conf",
             "etc/shadow", "etc/gshadow", "usr/share/doc", "usr/share/info", "usr/share/locale", "usr/share/man",
             "var/cache", "var/lib/apt", "var/lib/dbus", "var/log", "var/backups",
             *(f"etc/{name}{mark}" for name in ETC for mark in ("", "-")))
"""Of these and below them nothing is kept; what programs expect of it is made anew."""
_MOST_MEMBERS = 1_000_000


def write_empty(root: Root, out: IO[bytes], *, folders: Iterable[str]) -> None:
    """An image to bind a root into: its links and small files, and a place for each bind.

    ``folders`` are those targets of binds that are folders; the others get an empty file to be bound over.
    """
    links = {inside for _, inside in root.links}
    folders = set(folders)
    with _writer(out) as tar:
        places = [inside for _, inside in root.binds if not links & set(_above(inside))]
        files = {inside: b"" for inside in places if inside not in folders}
        files |= {inside: text.encode() for text, inside in root.files}
        _add_folders(tar, [*_FOLDERS, *(inside for inside in places if inside in folders), *_parents(files)])
        for target, inside in root.links:
            _add_link(tar, target, inside)
        for inside, data in sorted(files.items()):
            _add_file(tar, inside, data)


def write_cleaned(source: IO[bytes], out: IO[bytes]) -> int:
    """What a package manager left, with our own small files in place of its; how many members were kept.

    No name comes twice, because engines refuse that.
    """
    kept = set[str]()
    try:
        with tarfile.open(fileobj=source, mode="r|") as given, _writer(out) as tar:
            for member in _bounded(given):
                name, target = _plain(member.name), _plain(member.linkname) if member.islnk() else None
                if _kept(member, name) and name not in kept and (target is None or target in kept):
                    content = given.extractfile(member) if member.isreg() else None
                    tar.addfile(_powerless(member, name, target), content)
                    kept.add(name)
            if not kept:
                raise SandboxFailure("the packages made an empty file system")
            _add_folders(tar, _FOLDERS, apart_from=kept)
            for name, text in sorted(ETC.items()):
                _add_file(tar, f"/etc/{name}", text.encode())
    except tarfile.TarError as error:
        raise SandboxFailure(f"the packages did not make a whole archive: {error}") from error
    return len(kept)


def _bounded(tar: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    for number, member in enumerate(tar):
        if number >= _MOST_MEMBERS:
            raise SandboxFailure(f"the packages made more than {_MOST_MEMBERS} files")
        yield member


def _plain(name: str) -> str:
    """Relative to the root, without dots; parents lead nowhere but up to it."""
    parts = [part for part in PurePosixPath(name).parts if part not in ("/", ".")]
    if ".." in parts:
        raise SandboxFailure(f"the packages made a file outside of their root: {name[:200]!r}")
    return "/".join(parts)


def _kept(member: tarfile.TarInfo, name: str) -> bool:
    ordinary = member.isreg() or member.isdir() or member.issym() or member.islnk()
    return bool(name) and ordinary and not any(f"{name}/".startswith(f"{folder}/") for folder in _LEFT_OUT)


def _powerless(member: tarfile.TarInfo, name: str, target: str | None) -> tarfile.TarInfo:
    """Root's, without set-user-id bits, attributes or capabilities."""
    made = tarfile.TarInfo(name)
    made.type, made.size, made.mtime = member.type, member.size, int(member.mtime)
    made.linkname = target or member.linkname
    made.mode = member.mode & (0o1777 if member.isdir() else 0o777)
    return made


# --- writing ---

def _writer(out: IO[bytes]) -> tarfile.TarFile:
    return tarfile.open(fileobj=out, mode="w|", format=tarfile.PAX_FORMAT)


def _above(path: str) -> list[str]:
    """The folders that lead to it."""
    return [str(parent) for parent in PurePosixPath(path).parents if str(parent) != "/"]


def _parents(paths: Iterable[str]) -> list[str]:
    return [parent for path in paths for parent in _above(path)]


def _add_folders(tar: tarfile.TarFile, paths: Iterable[str], *, apart_from: Container[str] = ()) -> None:
    """Each with those that lead to it, which come first, but for those that are there."""
    wanted = set(paths)
    for path in sorted(wanted | set(_parents(wanted))):
        if path.lstrip("/") not in apart_from:
            tar.addfile(_member(path, tarfile.DIRTYPE, 0o1777 if path in _SHARED else 0o755))


def _add_link(tar: tarfile.TarFile, target: str, path: str) -> None:
    made = _member(path, tarfile.SYMTYPE, 0o777)
    made.linkname = target
    tar.addfile(made)


def _add_file(tar: tarfile.TarFile, path: str, data: bytes) -> None:
    made = _member(path, tarfile.REGTYPE, 0o444)
    made.size = len(data)
    tar.addfile(made, io.BytesIO(data))


def _member(path: str, kind: bytes, mode: int) -> tarfile.TarInfo:
    made = tarfile.TarInfo(path.lstrip("/"))
    made.type, made.mode = kind, stat.S_IMODE(mode)
    return made
