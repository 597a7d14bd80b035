"""Which files a fix may touch: the project's own code, no tests and no settings of the runner, as the user allows.

What holds: tests, what sets a runner up and everything outside the globs are never part of a fix, whoever proposes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath

from windtunnel.core.errors import UsageError
from windtunnel.core.problem import Problem
from windtunnel.core.repair import Suspicion
from windtunnel.engine.fix import pins
from windtunnel.engine.fix.base import Files
from windtunnel.policy.glob import BadGlob, joined, over_all
from windtunnel.tamper import is_runner, is_test

SUFFIXES: Mapping[str, tuple[str, ...]] = {
    "python": (".py",), "javascript": (".js", ".mjs", ".cjs", ".jsx"), "typescript": (".ts", ".tsx", ".mts", ".cts"),
    "java": (".java",), "go": (".go",), "rust": (".rs",)}
_TOOLS = {
    "pytest": "python", "unittest": "python", "python": "python", "mypy": "python", "ruff": "python", "go": "go",
    "cargo": "rust", "clippy": "rust", "rustc": "rust", "maven": "java", "gradle": "java", "javac": "java",
    "jest": "javascript", "vitest": "javascript", "mocha": "javascript", "node": "javascript", "npm": "javascript",
    "eslint": "javascript", "typescript": "typescript", "tsc": "typescript"}
_MOST_PATHS = 2000
_MOST_PINNED = 400


class Places:
    """What may be touched."""

    def __init__(self, *, allow: Sequence[str] = (), forbid: Sequence[str] = ()) -> None:
        """Globs as policies have them (``src/**``, ``**/*.py``) and places; without ``allow``, every file of code."""
        self._allow, self._pins = _read(allow, field="allow")
        self._forbid, self._barred = _read(forbid, field="forbid")

    def may(self, path: str) -> bool:
        """Whether a fix may touch a file of that name."""
        if not is_name(path) or is_test(path) or is_runner(path):
            return False
        pinned = any(pin.path == path for pin in self._pins)
        everything = self._allow is None and not self._pins
        return (everything or pinned or _matches(self._allow, path)) and not _matches(self._forbid, path)

    def may_become(self, path: str, old: str, new: str) -> bool:
        """Whether a file may come to have another text: all that differs is allowed, and nothing of it forbidden."""
        pinned = [pin for pin in self._pins if pin.path == path]
        barred = [pin for pin in self._barred if pin.path == path]
        return (not pinned or _matches(self._allow, path) or pins.within(pinned, old, new)) and not (
            barred and pins.reaches(barred, old, new))

    def focus(self, suspicions: Sequence[Suspicion], read: Callable[[str], str | None]) -> tuple[Suspicion, ...]:
        """Where places are allowed, the suspicions there alone; all of their lines where none was suspected."""
        if not self._pins or self._allow is not None:
            return tuple(suspicions)
        lines = [(pin.path, line) for pin in self._pins for line in sorted(pin.lines(read(pin.path) or ""))]
        meant = frozenset(lines)
        found = tuple(one for one in suspicions if (one.path, one.line) in meant)
        return found or tuple(Suspicion(path=path, line=line, score=1.0) for path, line in lines[:_MOST_PINNED])

    def among(self, folder: Files, language: str) -> tuple[str, ...]:
        """The files of one language that may be touched; of a project too large, those nearest to its root."""
        suffixes = SUFFIXES.get(language, ())
        named = (path for suffix in suffixes for path in folder.glob(f"**/*{suffix}"))
        return tuple(sorted((path for path in named if self.may(path)), key=lambda path: (path.count("/"), path))[
            :_MOST_PATHS])


def is_name(path: str) -> bool:
    """Whether it is a plain path below the project."""
    parts = path.split("/")
    return bool(path) and "\0" not in path and not {"", ".", "..", ".git"} & set(parts) and path.isprintable()


def language_of(problems: Sequence[Problem], *, tools: Sequence[str], folder: Files) -> str:
    """The language a fix must speak: of the first problem's own file, of the tool that failed, of most files."""
    for problem in problems[:1]:
        named = _by_suffix(problem.place.file) if problem.place else ""
        if named or problem.language in SUFFIXES:
            return named or problem.language
    known = [language for tool in tools if (language := _TOOLS.get(tool.split()[0] if tool else ""))]
    if known:
        return _typed(known[0], folder.glob)
    counts = {language: sum(len(folder.glob(f"**/*{suffix}")) for suffix in suffixes)
              for language, suffixes in SUFFIXES.items()}
    best = max(counts, key=lambda language: counts[language])
    return best if counts[best] else ""


def _typed(language: str, glob: Callable[[str], Sequence[str]]) -> str:
    """JavaScript's runners run TypeScript too."""
    scripts = language == "javascript" and not any(
        not is_test(path) and not is_runner(path) for path in glob("**/*.js"))
    return "typescript" if scripts and glob("**/*.ts") else language


def _by_suffix(path: str) -> str:
    suffix = PurePosixPath(path).suffix
    return next((language for language, suffixes in SUFFIXES.items() if suffix in suffixes), "")


def _matches(pattern: re.Pattern[str] | None, path: str) -> bool:
    return pattern is not None and bool(pattern.match(joined([path])))


def _read(given: Sequence[str], *, field: str) -> tuple[re.Pattern[str] | None, tuple[pins.Pin, ...]]:
    """The files that are meant as a whole, and the places."""
    if isinstance(given, str):
        raise UsageError(f"{field}: a list of globs, not one text: {given!r}"[:200], field=field)
    places = [one for one in given if isinstance(one, str) and pins.is_place(one)]
    globs = [one for one in given if one not in places]
    return _pattern(globs, field=field), tuple(pins.read(one, field=field) for one in places)


def _pattern(globs: Sequence[str], *, field: str) -> re.Pattern[str] | None:
    try:
        return over_all(globs) if globs else None
    except BadGlob as fault:
        raise UsageError(f"{field}: {fault}", field=field) from None
