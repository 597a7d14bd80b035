"""The project's own files: which of the places that a tool names are in it, and the code around them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from windtunnel.core.problem import Place, SourceLine
from windtunnel.diagnosis.symbols import enclosing

AROUND = 3
"""Lines of a window before and after the place."""
_ROOTS = ("/workspace/", "/sandbox/")
_LIBRARY = re.compile(
    r"(?:^|/)(?:site-packages|dist-packages|node_modules|\.venv|venv|\.cargo|\.rustup|rustlib|\.m2|\.tox)/|^<|^\[|^node:|"
    r"^/rustc/|^internal/|^ext:|/lib/python\d|/lib64/python\d|/pyenv/|/go/pkg/mod/|^/usr/(?:lib|local|share)/|"
    r"^(?:java|javax|jdk|sun|com/sun|org/junit|junit|org/hamcrest|org/apache/maven|org/opentest4j|kotlin|scala|"
    r"org/gradle|worker/org/gradle)/|^library/(?:std|core|alloc|test)/|^_testmain\.go|^evalmachine|^/opt/hostedtoolcache/|"
    r"^frozen |^native$")
_PLAIN = re.compile(r"[\w@+.-]+(?:/[\w@+.-]+)*")
_IMPORTS = re.compile(r"\b(?:import|require|from|export)\b")
_MOST_TEXT = 400


@dataclass(slots=True)
class Sources:
    """A project to look places up in; without one, what a tool names is taken as it is."""

    read: Callable[[str], bytes | None] | None = None
    find: Callable[[str], Sequence[str]] | None = None
    """Files of the project whose path ends in this one."""
    roots: tuple[str, ...] = ()
    """Folders under which the project lay when its tools ran."""
    _lines: dict[str, list[str] | None] = field(default_factory=dict)
    _names: dict[str, str | None] = field(default_factory=dict)

    def own(self, place: Place) -> Place | None:
        """The place as the project names it; None for one of a library or the runtime."""
        if place.file not in self._names:
            self._names[place.file] = self._name(place.file)
        name = self._names[place.file]
        return None if name is None else replace(place, file=name)

    def _name(self, file: str) -> str | None:
        path = file.removeprefix("file://").replace("\\", "/")
        for root in (*self.roots, *_ROOTS):
            path = path.removeprefix(root if root.endswith("/") else f"{root}/")
        path = re.sub(r"^(?:\./)+", "", path)
        if _LIBRARY.search(path) or not path or "\0" in path:
            return None
        if self.read is None or path.startswith("../") or self.lines(path) is not None:
            return path
        return self._found(path) or path

    def _found(self, path: str) -> str | None:
        """A path from another machine, or a bare file name: the longest end of it that is in the project."""
        parts = [part for part in path.split("/") if part]
        for start in range(1, min(len(parts), 30)):
            tail = "/".join(parts[start:])
            if self.lines(tail) is not None:
                return tail
        if self.find is None or path.startswith("/") or not _PLAIN.fullmatch(path):
            return None
        found = self.find(path) or (self.find(parts[-1]) if len(parts) > 1 else ())
        return found[0] if len(found) == 1 else None

    def lines(self, path: str) -> list[str] | None:
        """The lines of one file; None where there is none."""
        if path not in self._lines:
            safe = self.read is not None and not path.startswith("/") and ".." not in path.split("/")
            data = self.read(path) if safe and self.read is not None else None
            self._lines[path] = None if data is None else data.decode("utf-8", "replace").splitlines()
        return self._lines[path]

    def mention(self, path: str, message: str) -> int | None:
        """The first line of a file that imports something that the message quotes."""
        names = {quoted.rpartition("/")[2] for quoted in re.findall(r"['\"]([^'\"\n]{1,300})['\"]", message)}
        told = ((at, line) for at, line in enumerate(self.lines(path) or (), start=1) if _IMPORTS.search(line))
        return next((at for at, line in told if any(name and name in line for name in names)), None)

    def window(self, place: Place) -> tuple[SourceLine, ...]:
        """The code around a place."""
        lines = self.lines(place.file)
        if lines is None or place.line is None or not 0 < place.line <= len(lines):
            return ()
        first, last = max(1, place.line - AROUND), min(len(lines), place.line + AROUND)
        return tuple(SourceLine(number=at, text=lines[at - 1][:_MOST_TEXT]) for at in range(first, last + 1))

    def symbol(self, place: Place) -> str | None:
        """The function or class around a place, as the code has it."""
        lines = self.lines(place.file)
        if lines is None or place.line is None or not 0 < place.line <= len(lines):
            return None
        return enclosing(place.file, lines, line=place.line)
