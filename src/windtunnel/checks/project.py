"""A project on disk, looked at without following a link out of it and without changing anything.

What a project holds is hostile: links to anywhere, folders without end, files without size. Every step of a path
goes by directory descriptor; a link is followed only while it stays below the root. Absolute links lead out by
definition, since a project lies elsewhere when its checks run.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import sys
from collections import deque
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from windtunnel.checks.programs import Needs, is_program, needs_of, on_path
from windtunnel.core.language import Which
from windtunnel.core.tool import PLACE

MOST_BYTES = 4 * 1024**2
"""What is read of one file; the rest is left out."""
MOST_ENTRIES = 20_000
"""Entries that one search looks at."""
MOST_DEPTH = 24
_MOST_FOUND = 5000
_MOST_LINKS = 40
_MOST_STEPS = 256
_FOLDER = os.O_PATH | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_ENVIRONMENTS = (".venv", "venv", "env", ".env")
_TOOL_HOMES = ("pipx_metadata.json", "uv-receipt.toml")
"""Files in an environment made for one program alone, which has no packages of the project."""


class Folder:
    """One folder of the host as tools look at it; what is in a folder is asked once and remembered."""

    def __init__(
        self, root: str | os.PathLike[str], *, search: Which = on_path, environ: Mapping[str, str] = os.environ,
        own: str = sys.prefix,
    ) -> None:
        """``search`` finds programs on the search path; ``own`` is the environment that Windtunnel runs from."""
        self.root = Path(os.path.abspath(root))  # noqa: PTH100 -- links in the way to the root are the caller's own
        self._search = search
        self._environ = environ
        self._own = own
        self._listings: dict[str, tuple[list[str], list[str]]] = {}

    def read(self, path: str) -> bytes | None:
        """The first megabytes of one file; None when it is not there or no plain file."""
        with self._opened(path, _FILE) as descriptor:
            if descriptor is None or not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return None
            with open(descriptor, "rb", closefd=False) as file:
                return file.read(MOST_BYTES)

    def digest(self, path: str) -> str | None:
        """The SHA-256 of all of one file, whatever its size; None when it is not there or no plain file."""
        with self._opened(path, _FILE) as descriptor:
            if descriptor is None or not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return None
            with open(descriptor, "rb", closefd=False) as file:
                return hashlib.file_digest(file, "sha256").hexdigest()

    def exists(self, path: str) -> bool:
        """Whether there is a file or folder of that name, not counting links that lead out."""
        with self._opened(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC) as descriptor:
            return descriptor is not None

    def glob(self, pattern: str) -> list[str]:
        """Files that match, sorted; folders are searched breadth first, so that a bound leaves out the deepest.

        Hidden folders and those of environments and packages are entered only when the pattern names them.
        """
        parts = [part for part in pattern.split("/") if part not in ("", ".")]
        literal = list(_literal(parts[:-1]))
        start = "/".join(literal)
        deepest = MOST_DEPTH if "**" in parts else len(parts) - 1
        matches = re.compile(_expression(parts)).fullmatch
        return sorted(islice(filter(matches, self._below(start, deepest=deepest)), _MOST_FOUND))

    def which(self, name: str) -> str | None:
        """The host path of a program as this project would find it.

        The project's own environment, its ``node_modules/.bin``, the active environment, that of Windtunnel (unless it
        was made for Windtunnel alone), the search path. A name with a slash is relative to the project.
        """
        if not name or "\0" in name:
            return None
        if "/" in name:
            path = Path(os.path.normpath(self.root / name))
            stays = name.startswith("/") or path.is_relative_to(self.root)
            return str(path) if stays and is_program(path) else None
        found = next((folder / name for folder in self._program_folders() if is_program(folder / name)), None)
        return str(found) if found else self._search(name)

    def needs(self, program: str) -> Needs:
        """What must be visible for a program, named by its host path, to start where only the system is shown."""
        return needs_of(program, root=self.root, which=self.which)

    def inside(self, path: str) -> str:
        """Where a host path lies for a check: paths of the project move, others stay."""
        below = Path(path)
        return f"{PLACE}/{below.relative_to(self.root)}" if below.is_relative_to(self.root) else path

    def _program_folders(self) -> Iterator[Path]:
        for name in _ENVIRONMENTS:
            if os.path.isfile(self.root / name / "pyvenv.cfg"):  # noqa: PTH113 -- Path.is_file raises where it may not look
                yield self.root / name / "bin"
        yield self.root / "node_modules/.bin"
        active = self._environ.get("VIRTUAL_ENV", "")
        if active.startswith("/"):
            yield Path(active, "bin")
        if not any(Path(self._own, name).exists() for name in _TOOL_HOMES):
            yield Path(self._own, "bin")

    @contextlib.contextmanager
    def _opened(self, path: str, flags: int) -> Iterator[int | None]:
        """A descriptor of what the path names below the root, or None."""
        with contextlib.ExitStack() as held:
            yield self._walk(path, flags, held=held)

    def _walk(self, path: str, flags: int, *, held: contextlib.ExitStack) -> int | None:
        """Step by step; each folder on the way is held open, so that ``..`` goes where we came from."""
        try:
            folders = [_kept(os.open(self.root, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC), held)]
            steps, links = deque(_steps(path)), 0
            while steps:
                if len(steps) > _MOST_STEPS:
                    return None
                step = steps.popleft()
                if step == "..":
                    folders.pop()
                    if not folders:
                        return None
                elif stat.S_ISLNK(mode := os.lstat(step, dir_fd=folders[-1]).st_mode):
                    links += 1
                    target = os.readlink(step, dir_fd=folders[-1])
                    if links > _MOST_LINKS or target.startswith("/"):
                        return None
                    steps.extendleft(reversed(_steps(target)))
                elif steps or stat.S_ISDIR(mode):
                    folders.append(_kept(os.open(step, _FOLDER, dir_fd=folders[-1]), held))
                else:
                    return _kept(os.open(step, flags, dir_fd=folders[-1]), held)
        except (OSError, ValueError):
            return None
        return folders[-1]

    def _below(self, start: str, *, deepest: int) -> Iterator[str]:
        """Files below a folder, breadth first."""
        waiting, looked = deque([start]), 0
        while waiting and looked < MOST_ENTRIES:
            folder = waiting.popleft()
            files, folders = self._listing(folder)
            looked += len(files) + len(folders) + 1
            yield from files
            if (folder.count("/") + 1 if folder else 0) < deepest:
                waiting.extend(folders)

    def _listing(self, folder: str) -> tuple[list[str], list[str]]:
        """The files of a folder and those folders in it that are worth a look, as relative paths."""
        if folder not in self._listings:
            self._listings[folder] = self._listed(folder)
        return self._listings[folder]

    def _listed(self, folder: str) -> tuple[list[str], list[str]]:
        prefix = f"{folder}/" if folder else ""
        entries = self._entries(folder)
        files = [name for name, kind in entries if kind == "file" or (kind == "link" and self._is_file(prefix + name))]
        worth = [name for name, kind in entries if kind == "folder" and self._worth(prefix + name, beside=files)]
        return [prefix + name for name in sorted(files)], [prefix + name for name in sorted(worth)]

    def _entries(self, folder: str) -> list[tuple[str, str]]:
        """The names in a folder, each with what it is."""
        with self._opened(folder, _FOLDER) as step, contextlib.suppress(OSError):
            if step is None:
                return []
            # What was opened only as a step on a path cannot be listed itself.
            listed = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=step)
            try:
                with os.scandir(listed) as entries:
                    return [(entry.name, _kind(entry)) for entry in islice(entries, MOST_ENTRIES)]
            finally:
                os.close(listed)
        return []

    def _is_file(self, path: str) -> bool:
        with self._opened(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC) as descriptor:
            return descriptor is not None and stat.S_ISREG(os.fstat(descriptor).st_mode)

    def _worth(self, path: str, *, beside: list[str]) -> bool:
        name = path.rpartition("/")[2]
        if name.startswith(".") or name in ("node_modules", "__pycache__"):
            return False
        return not (name == "target" and "Cargo.toml" in beside) and not self.exists(f"{path}/pyvenv.cfg")


def _kind(entry: os.DirEntry[str]) -> str:
    if entry.is_symlink():
        return "link"
    if entry.is_dir(follow_symlinks=False):
        return "folder"
    return "file" if entry.is_file(follow_symlinks=False) else "other"


def _kept(descriptor: int, held: contextlib.ExitStack) -> int:
    held.callback(os.close, descriptor)
    return descriptor


def _steps(path: str) -> list[str]:
    return [step for step in path.split("/") if step not in ("", ".")]


def _literal(parts: list[str]) -> Iterator[str]:
    """The first parts of a pattern, as long as they name one folder each."""
    for part in parts:
        if any(character in part for character in "*?["):
            return
        yield part


def _expression(parts: list[str]) -> str:
    """A regular expression for a pattern: ``**`` is any number of folders, ``*`` stays within one name."""
    folders = ("(?:[^/]+/)*" if part == "**" else f"{_name(part)}/" for part in parts[:-1])
    return "".join(folders) + (_name(parts[-1]) if parts else "")


def _name(part: str) -> str:
    one = {"*": "[^/]*", "**": "[^/]*", "?": "[^/]"}
    pieces = re.split(r"(\*+|\?|\[[^\]/]+\])", part)
    return "".join(one.get(piece) or (piece.replace("[!", "[^") if piece.startswith("[") and piece.endswith("]")
                                      else re.escape(piece)) for piece in pieces)
