"""The content of a whole project as one hash, by which results for the unchanged project are kept.

What counts:

- every file by its content and mode, every link by the text of its target, every folder by its mode, also empty ones;
- virtual environments and ``node_modules`` by name, size and time of change of what they hold: they are large, written
  by tools, and a tool that changes a file changes its time;
- ``.git`` by the branch and commit of HEAD alone, since versions are made from those. Not its index: any ``git
  status`` rewrites it, and the files it lists are counted themselves. So a check that asks git for tags or for what is
  staged is not noticed;
- caches (``__pycache__``, ``.pytest_cache`` …, and folders marked with ``CACHEDIR.TAG``) not at all: they must not
  matter, and every run changes them;
- what cannot be read, by its size and times, with a note.

Links are never followed. With an index the second call looks at each file's size and times only; a file that changed
so shortly before it was hashed that its times could stay the same after another change is hashed again, as git does.
A change that leaves size and all times as they were (a clock set back, a disk written below the file system) goes
unnoticed.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import time
from pathlib import Path

from windtunnel.core.errors import UsageError
from windtunnel.workspace import beneath
from windtunnel.workspace.git_head import head
from windtunnel.workspace.paths import check_path
from windtunnel.workspace.stat_index import Rows, StatIndex

CACHES = frozenset({
    "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".cache", ".eslintcache", ".gradle",
    ".parcel-cache", ".turbo", ".nyc_output", ".coverage", ".windtunnel", ".DS_Store"})
_TAG = b"Signature: 8a477f597d28d172789f06886806bc55"
_MOST_NOTES = 20
_LARGE = 16 * 1024**2
_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Tree:
    """One project; reads it, changes nothing in it."""

    def __init__(self, project: Path, index: Path | None = None) -> None:
        """``index`` is a file of ours outside the project; without one every call reads every file."""
        self.project = project.absolute()
        self.notes: tuple[str, ...] = ()
        """What the last ``digest`` could not read."""
        self._file, self._seen = index, StatIndex(str(self.project))

    def digest(self) -> str:
        """The same as long as nothing that counts has changed."""
        with beneath.opened(self.project):
            walk = _Walk(self.project, StatIndex.load(self._file, str(self.project)))
            told = walk.run()
        self.notes, self._seen = tuple(walk.notes), walk.index
        if self._file is not None and (problem := walk.index.save(self._file)):
            self.notes += (problem,)
        return told

    @property
    def files(self) -> tuple[tuple[str, str, int], ...]:
        """Path, hash and size of each plain file whose content the last ``digest`` counted."""
        return tuple(self._seen.files())

    def hash_of(self, path: str) -> str | None:
        """SHA-256 of one file's content, always read afresh; None when there is no plain file of that name."""
        with beneath.opened(self.project) as root:
            try:
                found = beneath.find(root, check_path(path))
            except UsageError:
                return None
        return found.sha if found else None


class _Walk:
    def __init__(self, project: Path, index: StatIndex) -> None:
        self.project, self.index = str(project), index
        self.notes: list[str] = []
        self._sum = hashlib.sha256(b"windtunnel tree 1\n")

    def run(self) -> str:
        self.index.begin(time.time_ns())
        todo = [("", False)]
        while todo:
            folder, shallow = todo.pop()
            todo += self._folder(folder, shallow=shallow)
        return self._sum.hexdigest()

    def _folder(self, folder: str, *, shallow: bool) -> list[tuple[str, bool]]:
        """Count what one folder holds, and give the folders in it; ``shallow`` looks at no content."""
        try:
            descriptor = os.open(f"{self.project}/{folder}" if folder else self.project, _OPEN | os.O_DIRECTORY)
        except OSError as error:
            self._note(folder, error)
            return []
        try:
            return self._entries(folder, descriptor, shallow=shallow)
        finally:
            os.close(descriptor)

    def _entries(self, folder: str, descriptor: int, *, shallow: bool) -> list[tuple[str, bool]]:
        with os.scandir(descriptor) as scan:
            entries = sorted(((entry.name, entry) for entry in scan if entry.name not in CACHES), key=_first)
        names = {name for name, _ in entries}
        if "pyvenv.cfg" in names:
            shallow = True
        elif "CACHEDIR.TAG" in names and folder and not shallow and self._is_cache(descriptor):
            return []
        known, rows, inner = self.index.rows(folder), Rows(), []
        lines = [os.fsencode(f"/{folder}")]
        for name, entry in entries:
            try:
                found = entry.stat(follow_symlinks=False)
            except OSError:
                continue  # gone since the folder was listed
            kind = found.st_mode & 0o170000
            if kind == stat.S_IFREG and not shallow:
                word = self._known(name, found, known=known, rows=rows, descriptor=descriptor, folder=folder)
            elif kind == stat.S_IFDIR:
                if name == ".git":
                    lines.append(b".git " + head(Path(self.project, folder, name)))
                    continue
                inner.append((f"{folder}/{name}" if folder else name, shallow or name == "node_modules"))
                word = "folder"
            else:
                word = self._other(name, found, descriptor)
            lines.append(os.fsencode(f"{name}\0{found.st_mode:o} {word}"))
        self.index.keep(folder, rows)
        self._sum.update(b"%d\n" % len(lines) + b"\0\n".join(lines) + b"\0\n")
        return inner

    def _known(
        self, name: str, found: os.stat_result, *, known: Rows, rows: Rows, descriptor: int, folder: str,
    ) -> str:
        mark = [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_mode]
        row = known.get(name)
        if isinstance(row, list) and row[1:] == mark and not self.index.is_racy(found.st_ctime_ns):
            rows[name] = row
            return str(row[0])
        try:
            sha = _hash(name, descriptor)
        except OSError as error:
            self._note(f"{folder}/{name}" if folder else name, error)
            return f"unread {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"
        rows[name] = [sha, *mark]
        self.index.changed = True
        return sha

    def _other(self, name: str, found: os.stat_result, descriptor: int) -> str:
        if stat.S_ISLNK(found.st_mode):
            try:
                return f"-> {os.readlink(name, dir_fd=descriptor)}"
            except OSError:
                return "-> ?"
        if stat.S_ISREG(found.st_mode):
            return f"{found.st_size} {found.st_mtime_ns}"
        return beneath.kind_of(found.st_mode)

    def _is_cache(self, descriptor: int) -> bool:
        try:
            tag = os.open("CACHEDIR.TAG", _OPEN, dir_fd=descriptor)
        except OSError:
            return False
        try:
            return os.read(tag, len(_TAG)) == _TAG
        except OSError:
            return False
        finally:
            os.close(tag)

    def _note(self, path: str, error: OSError) -> None:
        self._sum.update(os.fsencode(f"unread {path}\0"))
        if len(self.notes) < _MOST_NOTES:
            self.notes.append(f"{path or '.'}: not read, counted by size and times: {error.strerror}")


def _first(pair: tuple[str, os.DirEntry[str]]) -> str:
    return pair[0]


def _hash(name: str, descriptor: int) -> str:
    file = os.open(name, _OPEN, dir_fd=descriptor)
    with os.fdopen(file, "rb", buffering=0) as opened:
        found = os.fstat(file)
        if found.st_size > _LARGE and found.st_blocks * 512 < found.st_size // 2:
            return _hash_of_parts(file, found.st_size)
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _hash_of_parts(file: int, size: int) -> str:
    """Of a file that is mostly holes: where there is something, and what; nobody waits while zeros are counted."""
    told, at = hashlib.sha256(b"holes %d\n" % size), 0
    while at < size:
        try:
            start = os.lseek(file, at, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:  # nothing but holes from here on
                break
            raise
        at = os.lseek(file, start, os.SEEK_HOLE)
        os.lseek(file, start, os.SEEK_SET)
        told.update(b"%d %d\n" % (start, at))
        left = at - start
        while left > 0 and (data := os.read(file, min(left, 1 << 20))):
            told.update(data)
            left -= len(data)
    return told.hexdigest()
