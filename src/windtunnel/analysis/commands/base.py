"""What an ecosystem must tell of itself: the commands that its projects are installed, built, tested and started by."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from windtunnel.core.analysis import Part, ProjectCommand, Purpose

_PLAIN_SCRIPT = re.compile(r"[A-Za-z0-9][A-Za-z0-9:._-]{0,63}")
_MAKE_PURPOSES = {
    Purpose.INSTALL: ("deps", "dependencies", "setup", "bootstrap"),
    Purpose.BUILD: ("build", "compile", "all"),
    Purpose.TEST: ("test", "tests", "check", "unittest", "unit-test"),
    Purpose.LINT: ("lint", "vet"),
    Purpose.FORMAT: ("format", "fmt"),
    Purpose.START: ("run", "start", "serve"),
    Purpose.AUDIT: ("audit",),
}
"""Targets of a Makefile by what they are for; ``install`` is not among them: it writes into the system."""


class Look:
    """One part of a project with the names of the files around it; nothing is opened."""

    def __init__(self, part: Part, names: Collection[str]) -> None:
        """``names`` are all relative paths of the tree."""
        self.part, self._all = part, names

    @cached_property
    def names(self) -> frozenset[str]:
        """Paths below the part's folder, relative to it."""
        start = f"{self.part.folder}/" if self.part.folder else ""
        return frozenset(name[len(start):] for name in self._all if name.startswith(start))

    def has(self, *names: str) -> str:
        """The first of these files that is in the part's folder; empty where none is."""
        return next((name for name in names if name in self.names), "")

    def some(self, *endings: str, below: str = "", top: bool = False) -> str:
        """The first file, in order, whose path ends with one of these; of the part's own folder alone with ``top``."""
        return min((name for name in self.names if name.endswith(endings) and name.startswith(below)
                    and not (top and "/" in name)), default="")

    def lock(self, *names: str) -> str:
        """The first of these lock files that the part has."""
        there = {posixpath.basename(path) for path in self.part.locks}
        return next((name for name in names if name in there or name in self.names), "")

    def tool(self, *names: str) -> str:
        """The first of these that the part is set up for or whose tests are written for it."""
        return next((name for name in names if name in self.part.tools or name in self.part.tests), "")

    def script(self, *names: str) -> str:
        """The first of these scripts that a manifest names."""
        return next((name for name in names if name in self.part.scripts), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A part with the files around it, and its commands as people would type them."""

    part: Part
    names: tuple[str, ...] = ()
    commands: tuple[tuple[Purpose, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ecosystem:
    """One family of projects."""

    name: str
    find: Callable[[Look], Iterable[ProjectCommand]]
    """Commands in the order in which they are preferred: of each purpose, all that are worth running."""
    examples: tuple[Example, ...]


def made(purpose: Purpose, command: str, *, why: str, network: bool = False, **more: bool) -> ProjectCommand:
    """One command; its tool is the first word that starts a program."""
    words = shlex.split(command)
    tool = next((word for word in words if "=" not in word), "")
    return ProjectCommand(purpose=purpose, command=command, why=why, tool=tool, network=network, **more)


def targets(look: Look, *, without: Collection[Purpose] = ()) -> Iterator[ProjectCommand]:
    """What a Makefile offers for purposes that nothing better is known for."""
    file = look.has("Makefile", "makefile", "GNUmakefile")
    for purpose, names in _MAKE_PURPOSES.items() if file else ():
        target = look.script(*names)
        if purpose not in without and target:
            yield made(purpose, f"make {target}", why=f"{file}: target {target}", ends=purpose is not Purpose.START,
                       network=purpose is Purpose.INSTALL, writes=purpose is Purpose.FORMAT)


def is_plain_script(name: str) -> bool:
    """Whether a script's name can stand in a shell line as it is."""
    return _PLAIN_SCRIPT.fullmatch(name) is not None
