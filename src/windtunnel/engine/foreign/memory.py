"""What fates of these languages rest on: the files of the language that tests can reach, and everything around them.

What does not hold: dependencies that are installed elsewhere are known by the project's lock files, and by the names
and times of ``node_modules``.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from windtunnel.core.mutation import Experience, Kept, Memory, MutationResult, State
from windtunnel.engine.checking import Overlay
from windtunnel.engine.foreign.bench import Bench

_LITTER = frozenset({
    ".git", ".hg", ".svn", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".venv", "venv", ".idea",
    ".vscode", "target", "coverage", ".nyc_output"})
_MOST_BYTES = 1 << 20
"""Larger files are known by size and time."""
_MOST_FILES = 50_000
_JUDGE = "1"
"""Raised when fates are found in another way."""


def surroundings(bench: Bench, watched: Collection[str]) -> str:
    """A digest of all but the files that are watched one by one."""
    program = bench.ground.folder.which(bench.check.argv[0]) or bench.check.argv[0]
    parts = [_JUDGE, bench.family.name, *bench.check.argv, _times(program),
             *(f"{name}={value}" for name, value in sorted(bench.env.items())),
             *(f"{name} {told}" for name, told in _others(
                 bench.ground.project, set(watched) | set(bench.overlay), litter=_LITTER | bench.family.products)),
             *(f"{name} {told}" for name, told in _laid(bench.overlay, watched))]
    return _digest(parts)


def footprint(files: Mapping[str, bytes], names: Collection[str] | None = None) -> str:
    """Of the files that a fate rests on; all where none are named."""
    chosen = sorted(files if names is None else set(names) & set(files))
    return _digest([part for name in chosen for part in (name, hashlib.sha256(files[name]).hexdigest())])


class Unscored:
    """A memory in which a part of a run is kept without a score of its own: the whole has one."""

    def __init__(self, memory: Memory) -> None:
        """Over another."""
        self._memory = memory

    def known(self, project: str, environment: str) -> Mapping[str, Kept]:
        """The same."""
        return self._memory.known(project, environment)

    def experience(self, project: str) -> Experience:
        """The same."""
        return self._memory.experience(project)

    def keep(self, project: str, environment: str, result: MutationResult) -> None:
        """The fates alone."""
        self._memory.keep(project, environment, replace(result, state=State.NONE_COUNTS))


def _digest(parts: Collection[str]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode("utf-8", "surrogateescape") + b"\0")
    return digest.hexdigest()


def _laid(overlay: Overlay, watched: Collection[str]) -> Iterator[tuple[str, str]]:
    for name, file in sorted(overlay.items()):
        if name not in watched:
            yield name, "" if file is None else hashlib.sha256(file.data).hexdigest()


def _others(project: str, apart_from: Collection[str], *, litter: Collection[str]) -> Iterator[tuple[str, str]]:
    """All other files of a project, links by where they lead, installed packages by their times."""
    pending, left = [""], _MOST_FILES
    while pending and left > 0:
        folder = pending.pop()
        for entry in sorted(os.scandir(f"{project}/{folder}"), key=lambda entry: entry.name):
            name = f"{folder}/{entry.name}".lstrip("/")
            left -= 1
            if entry.name in litter or name in apart_from:
                continue
            if entry.name == "node_modules":
                marks = (name, f"{name}/.package-lock.json")
                yield from ((mark, _times(f"{project}/{mark}")) for mark in marks)
            elif entry.is_dir(follow_symlinks=False):
                pending.append(name)
            else:
                yield name, _told(entry.path)


def _told(path: str) -> str:
    try:
        found = os.lstat(path)
        if stat.S_ISLNK(found.st_mode):
            return os.readlink(path)  # noqa: PTH115 -- as text
        if not stat.S_ISREG(found.st_mode) or found.st_size > _MOST_BYTES:
            return f"{found.st_mode} {found.st_size} {found.st_mtime_ns}"
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError as error:
        return str(error.errno)


def _times(path: str) -> str:
    try:
        found = os.stat(path)  # noqa: PTH116 -- what a link leads to is what runs
    except OSError as error:
        return f"{path} {error.errno}"
    return f"{path} {found.st_size} {found.st_mtime_ns}"
