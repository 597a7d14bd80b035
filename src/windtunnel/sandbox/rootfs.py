"""A file tree made of this host's own toolchains, for levels that do not share the host's files.

What holds: every file keeps the place it has on the host; all is root's and nothing is setuid; nothing of /home, /root,
/etc, /var, /srv or /opt goes in unless a toolchain named it. What does not hold: a program that loads further files at
run time, which neither its headers nor its package nor its toolchain name, does not find them.
"""

from __future__ import annotations

import contextlib
import glob
import io
import os
import re
import shutil
import stat
import tarfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from windtunnel.sandbox.debian import package_files
from windtunnel.sandbox.elf import libraries, loader_cache
from windtunnel.sandbox.root import ETC, FOLDERS

_SHARED = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/etc/alternatives", "/etc/ld.so.cache")
"""The distribution's own; apart from these only what lies below a given path."""
_LEFT_OUT = re.compile(
    r"/usr/(local|src|games|include/linux/.*\.cmd)(/.*)?"
    r"|/usr/share/(doc|man|locale|info|lintian|bug|icons|applications|doc-base|menu|pixmaps|bash-completion|zsh"
    r"|fish|common-licenses|help|gtk-doc|perl5/Debconf|initramfs-tools)(/.*)?"
    r"|.*/python3\.\d+/(test|idlelib|turtledemo|config-[^/]*)(/.*)?"
    r"|.*/lib/libpython3[^/]*\.a")
"""Of a given folder and of packages: papers, translations, Python's own tests and its static library."""
_TOOLS = (
    "awk", "basename", "bash", "cat", "chmod", "cmp", "cp", "cut", "dash", "date", "dd", "df", "diff", "dirname",
    "du", "echo", "egrep", "env", "expr", "false", "fgrep", "find", "grep", "gzip", "head", "hostname", "id",
    "kill", "ln", "ls", "make", "md5sum", "mkdir", "mkfifo", "mktemp", "mv", "nohup", "nproc", "od", "paste",
    "patch", "printenv", "printf", "ps", "pwd", "readlink", "realpath", "rm", "rmdir", "sed", "seq", "setsid", "sh",
    "sha256sum", "sleep", "sort", "split", "stat", "stty", "tac", "tail", "tar", "tee", "test", "timeout", "touch",
    "tr", "true", "tty", "uname", "uniq", "wc", "which", "whoami", "xargs", "yes",
)
_PLACES = ("/usr/bin", "/bin")
_LOADED_LATER = ("libgcc_s.so.1", "libnss_files.so.2", "libnss_dns.so.2")
"""What the C library loads by itself, so that no header names it."""
_LOCALE = "/usr/lib/locale/C.utf8"
_BESIDE = (_LOCALE, "/usr/share/zoneinfo/UTC", "/usr/share/zoneinfo/Etc/UTC", "/etc/ld.so.cache",
           "/bin", "/sbin", "/lib", "/lib64", "/lib32")
_NEIGHBOURS = {
    "python": ("/usr/lib/python3", "/usr/lib/python3.*"), "node": ("/usr/lib/node_modules", "/usr/lib/*/nodejs"),
    "perl": ("/usr/lib/*/perl*", "/usr/share/perl*"), "ruby": ("/usr/lib/ruby", "/usr/lib/*/ruby"),
    "php": ("/usr/lib/php",), "lua": ("/usr/lib/*/lua", "/usr/share/lua"), "R": ("/usr/lib/R",),
    "gcc": ("/usr/lib/gcc",), "g++": ("/usr/lib/gcc",), "git": ("/usr/lib/git-core", "/usr/share/git-core"),
}
"""Folders of the distribution that an interpreter or compiler reads by itself, by how its name begins."""
_HOME = re.compile(r"/usr/lib/jvm/[^/]+")
"""A language that lives in one folder of its own, compiler and all."""
_MOST_LINKS = 40
_FIRST_DAY = 315_532_800
"""The time of what we make ourselves: 1980, the earliest that every archive format can say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One name in the tree."""

    path: str
    """Absolute, as it will be seen inside."""
    kind: Literal["file", "folder", "link"]
    mode: int
    size: int = 0
    modified_ns: int = _FIRST_DAY * 10**9
    source: str | None = None
    """The host's file that holds the content; without one, ``data`` does."""
    data: bytes = b""
    """Content of a file of our own, or the target of a link."""

    def open(self) -> BinaryIO:
        """The content."""
        return io.BytesIO(self.data) if self.source is None else Path(self.source).open("rb")


def closure(paths: Iterable[str]) -> tuple[str, ...]:
    """All host paths that toolchains need: below these paths, where their links lead, what they are linked to."""
    return _Closure(paths).all()


def linked_files(paths: Iterable[str]) -> tuple[str, ...]:
    """Just these files with the links on their way and the libraries they are linked to."""
    return _Closure(paths, bare=True).all()


def tools() -> tuple[str, ...]:
    """The shell and the basic tools of this host that every tree has."""
    tried = ((f"{place}/{name}" for place in _PLACES) for name in _TOOLS)
    found = (next((path for path in paths if os.path.lexists(path)), None) for paths in tried)
    return tuple(path for path in found if path)


class _Closure:
    def __init__(self, paths: Iterable[str], *, bare: bool = False) -> None:
        given = [os.path.normpath(path) for path in paths if path.startswith("/")]
        self._given = tuple(dict.fromkeys((*given, *map(os.path.realpath, given))))
        self._bare = bare
        self._found: set[str] = set()
        self._pending = [*given]
        self._folders = set() if bare else {path for path in given if os.path.isdir(path)}  # noqa: PTH112
        self._unseen = _unseen(self._given)
        if not bare:
            self._widen([path for path in self._given if os.path.isfile(path)])  # noqa: PTH113

    def _widen(self, programs: list[str]) -> None:
        """What programs need besides their libraries, and what every tree has."""
        later = (loader_cache().get(name) for name in _LOADED_LATER)
        self._pending += [*tools(), *_BESIDE, *(path for path in later if path)]
        self._pending += [path for path in package_files(programs) if not _LEFT_OUT.fullmatch(path)]
        homes = {match[0] for path in programs if (match := _HOME.match(path))}
        self._folders |= {*homes, _LOCALE}
        self._pending += homes
        names = {path.rpartition("/")[2] for path in programs if _is_below(path, ("/usr/bin", "/bin"))}
        for start, patterns in _NEIGHBOURS.items():
            if any(name.startswith(start) for name in names):
                beside = [path for pattern in patterns for path in glob.glob(pattern)]  # noqa: PTH207 -- absolute
                self._folders |= set(beside)
                self._pending += beside

    def all(self) -> tuple[str, ...]:
        while self._pending:
            path = self._pending.pop()
            real = self._reach(path)
            if real is not None and path in self._folders:
                self._below(real)
        return tuple(sorted(self._found))

    def _reach(self, path: str) -> str | None:
        """Take in every link on the way and what is at the end; the end without links, or None if it is not ours."""
        here, steps, links = "", path.split("/"), 0
        while steps:
            step = steps.pop(0)
            if step in ("", "."):
                continue
            place = os.path.dirname(here) if step == ".." else f"{here}/{step}"  # noqa: PTH120
            try:
                mode = os.lstat(place or "/").st_mode
            except OSError:
                return None
            if not stat.S_ISLNK(mode):
                here = place
                continue
            links += 1
            if links > _MOST_LINKS or not self._is_ours(place):
                return None
            self._found.add(place)
            target = os.readlink(place)  # noqa: PTH115
            here, steps = "" if target.startswith("/") else here, target.split("/") + steps
        return here if here and self._take(here) else None

    def _is_ours(self, path: str) -> bool:
        shared = _is_below(path, _SHARED) and not _is_below(path, ("/usr/local",))
        return self._bare or shared or _is_below(path, self._given)

    def _take(self, path: str) -> bool:
        """Add one path that has no links in it; its libraries come along."""
        if not self._is_ours(path):
            return False
        if path in self._found:
            return True
        info = os.lstat(path)
        if not stat.S_ISREG(info.st_mode) and not stat.S_ISDIR(info.st_mode):
            return False
        self._found.add(path)
        if stat.S_ISREG(info.st_mode) and (info.st_mode & 0o111 or ".so" in path):
            self._pending += libraries(path)
        return True

    def _below(self, folder: str) -> None:
        for place, folders, files in os.walk(folder):
            folders[:] = [name for name in folders if not self._is_left_out(f"{place}/{name}")]
            for name in (*folders, *files):
                path = f"{place}/{name}"
                if os.path.islink(path):  # noqa: PTH114
                    self._pending.append(path)
                elif not self._is_left_out(path):
                    self._take(path)

    def _is_left_out(self, path: str) -> bool:
        return path in self._unseen or _LEFT_OUT.fullmatch(path) is not None


def _unseen(given: Iterable[str]) -> frozenset[str]:
    """Packages of the installation below a virtual environment that does not look at them."""
    found: set[str] = set()
    for path in given:
        if path.endswith("/pyvenv.cfg"):
            with contextlib.suppress(OSError):
                text = Path(path).read_text(errors="replace")
                home = re.search(r"(?m)^home *= *(/.*)/bin$", text)
                if home and re.search(r"(?m)^include-system-site-packages *= *false$", text):
                    places = glob.glob(f"{home[1]}/lib/python3*/site-packages")  # noqa: PTH207 -- absolute
                    found |= set(map(os.path.realpath, places))
    return frozenset(found)


def _is_below(path: str, places: Iterable[str]) -> bool:
    return any(path == place or path.startswith(f"{place}/") for place in places)


# --- the tree ---

def entries(paths: Iterable[str]) -> Iterator[Entry]:
    """The tree of these host paths with the neutral files of its own, sorted, every folder before what is in it."""
    own = _own_entries()
    made: dict[str, Entry] = {}
    for path in paths:
        if path not in own and (entry := _of_host(path)) is not None:
            made[path] = entry
    made |= own
    for path in list(made):
        for parent in Path(path).parents:
            if str(parent) not in made:
                made[str(parent)] = Entry(path=str(parent), kind="folder", mode=0o755)
    made.pop("/", None)
    yield from sorted(made.values(), key=lambda entry: entry.path.split("/"))


def _own_entries() -> dict[str, Entry]:
    made = {f"/etc/{name}": Entry(path=f"/etc/{name}", kind="file", mode=0o644, size=len(text), data=text.encode())
            for name, text in ETC.items()}
    for path in (*FOLDERS, "/proc", "/sys", "/dev", "/etc", "/usr"):
        made[path] = Entry(path=path, kind="folder", mode=0o1777 if path == "/tmp" else 0o755)  # noqa: S108 -- inside
    return made


def _of_host(path: str) -> Entry | None:
    try:
        info = os.lstat(path)
        if stat.S_ISLNK(info.st_mode):
            target = os.fsencode(os.readlink(path))  # noqa: PTH115
            when = info.st_mtime_ns
            return Entry(path=path, kind="link", mode=0o777, size=len(target), modified_ns=when, data=target)
    except OSError:
        return None
    everyone = 0o755 if stat.S_ISDIR(info.st_mode) or info.st_mode & 0o111 else 0o644
    if stat.S_ISDIR(info.st_mode):
        return Entry(path=path, kind="folder", mode=everyone, modified_ns=info.st_mtime_ns)
    if not stat.S_ISREG(info.st_mode) or not os.access(path, os.R_OK):
        return None
    return Entry(path=path, kind="file", mode=everyone, size=info.st_size, modified_ns=info.st_mtime_ns, source=path)


def write_tar(paths: Iterable[str], file: BinaryIO) -> None:
    """The tree as an uncompressed tar archive, everything in it root's."""
    with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for entry in entries(paths):
            member = tarfile.TarInfo(entry.path.lstrip("/"))
            member.mode, member.mtime = entry.mode, entry.modified_ns // 10**9
            member.type = {"file": tarfile.REGTYPE, "folder": tarfile.DIRTYPE, "link": tarfile.SYMTYPE}[entry.kind]
            if entry.kind == "link":
                member.linkname = os.fsdecode(entry.data)
            if entry.kind != "file":
                archive.addfile(member)
                continue
            with entry.open() as content:
                member.size = os.fstat(content.fileno()).st_size if entry.source else entry.size
                archive.addfile(member, content)


def write_tree(paths: Iterable[str], folder: Path) -> None:
    """The tree below an empty folder; its owner is root for a caller who is root, else the caller."""
    for entry in entries(paths):
        place = folder / entry.path.lstrip("/")
        if entry.kind == "folder":
            place.mkdir()
            place.chmod(entry.mode)
        elif entry.kind == "link":
            place.symlink_to(os.fsdecode(entry.data))
        else:
            with entry.open() as content, place.open("xb") as file:
                shutil.copyfileobj(content, file, 1 << 20)
            place.chmod(entry.mode)
            os.utime(place, ns=(entry.modified_ns, entry.modified_ns))
