"""Which files a fix may touch: the project's own code, no tests and no settings of the runner, as the user allows.

What holds: tests, what sets a runner up and everything outside the globs are never part of a fix, whoever proposes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath

from windtunnel.core.errors import UsageError
from windtunnel.core.problem import Problem
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


class Places:
    """What may be touched."""

    def __init__(self, *, allow: Sequence[str] = (), forbid: Sequence[str] = ()) -> None:
        """Globs as policies have them (``src/**``, ``**/*.py``); without ``allow``, every file of code."""
        self._allow, self._forbid = _pattern(allow, field="allow"), _pattern(forbid, field="forbid")

    def may(self, path: str) -> bool:
        """Whether a fix may touch a file of that name."""
        if not is_name(path) or is_test(path) or is_runner(path):
            return False
        one = joined([path])
        return (self._allow is None or bool(self._allow.match(one))) and not (
            self._forbid is not None and self._forbid.match(one))

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


def _pattern(globs: Sequence[str], *, field: str) -> re.Pattern[str] | None:
    if isinstance(globs, str):
        raise UsageError(f"{field}: a list of globs, not one text: {globs!r}"[:200], field=field)
    try:
        return over_all(globs) if globs else None
    except BadGlob as fault:
        raise UsageError(f"{field}: {fault}", field=field) from None
