"""Fewer tests for a mutant, where the tool makes that cheap and safe.

Go's imports are in its sources for all to see, so the packages whose tests can notice a mutant are known without
running anything. jest and vitest know the tests that are related to a file by its imports, and are asked where tests
take long, unless code of the project chooses what it loads while it runs. Elsewhere all tests run.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from windtunnel.checks.project import Folder
from windtunnel.core.trial import Check
from windtunnel.engine.checking import Overlay

_MODULE = re.compile(rb"^module\s+\"?([^\s\"]+)\"?", re.MULTILINE)
_BLOCK = re.compile(rb"^import\s*\(([^)]*)\)", re.MULTILINE)
_ONE = re.compile(rb"^import\s+(?:[\w.]+\s+)?[\"`]([^\"`\n]+)[\"`]", re.MULTILINE)
_QUOTED = re.compile(rb"[\"`]([^\"`\n]+)[\"`]")
_ALL = ("./...",)
_RELATING = ("jest", "vitest")
_DYNAMIC = re.compile(rb"\b(?:require|import)\s*\(\s*[^'\"\s)]|\brequire\.context\b|\bimport\.meta\.glob\b|\breaddir")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Which tests judge the mutants of one file."""

    check: Check
    prefixes: tuple[str, ...] = ()
    """Beginnings of the ids of tests that run; all where it is empty."""
    rests_on: frozenset[str] | None = None
    """Files of the language that their results rest on; None for all."""
    names: frozenset[str] | None = None
    """The tests that run; None where the beginnings tell."""

    def expected(self, trusted: Collection[str]) -> frozenset[str]:
        """Those of the tests that are to run."""
        if self.names is not None:
            return self.names & frozenset(trusted)
        if not self.prefixes:
            return frozenset(trusted)
        return frozenset(test for test in trusted if any(_is_of(test, prefix) for prefix in self.prefixes))


class Choices:
    """For every file of a project the tests that can reach it."""

    def __init__(self, check: Check, files: Mapping[str, bytes], *, module: str = "") -> None:
        """``files`` are all of the language, tests included; ``module`` is how Go calls the project."""
        self._check, self._files, self._module = check, files, module
        self._imports: dict[str, set[str]] = {}
        for path, data in files.items() if module else ():
            self._imports.setdefault(posixpath.dirname(path), set()).update(self._imported(data))

    def of(self, path: str) -> Choice:
        """The tests for mutants of one file."""
        words = [word for word in self._check.argv[2:] if not word.startswith("-")]
        if not self._module or tuple(words) != _ALL or posixpath.dirname(path) not in self._imports:
            return Choice(check=self._check)
        reached = self._closure({posixpath.dirname(path)}, self._users())
        rests_on = self._closure(reached, self._imports)
        argv = tuple(word for given in self._check.argv for word in (
            [f"./{folder}" if folder else "." for folder in sorted(reached)] if given in _ALL else [given]))
        return Choice(
            check=replace(self._check, argv=argv), prefixes=tuple(map(self._package, sorted(reached))),
            rests_on=frozenset(file for file in self._files if posixpath.dirname(file) in rests_on))

    def _imported(self, data: bytes) -> set[str]:
        named = [*_ONE.findall(data), *(name for block in _BLOCK.findall(data) for name in _QUOTED.findall(block))]
        texts = [name.decode("utf-8", "replace") for name in named]
        return {text[len(self._module):].strip("/") for text in texts if f"{text}/".startswith(f"{self._module}/")}

    def _users(self) -> dict[str, set[str]]:
        users: dict[str, set[str]] = {}
        for folder, imported in self._imports.items():
            for used in imported:
                users.setdefault(used, set()).add(folder)
        return users

    def _package(self, folder: str) -> str:
        return f"{self._module}/{folder}" if folder else self._module

    @staticmethod
    def _closure(start: Collection[str], edges: Mapping[str, Collection[str]]) -> set[str]:
        found, pending = set(start), list(start)
        while pending:
            for following in edges.get(pending.pop(), ()):
                if following not in found:
                    found.add(following)
                    pending.append(following)
        return found


def related(check: Check, path: str) -> Check | None:
    """The command for the tests that are related to a file; None where it names tests itself, or knows of none."""
    at = next((at for at, word in enumerate(check.argv) if word.rpartition("/")[2] in _RELATING), None)
    if at is None or path.startswith("-"):
        return None
    head, rest = check.argv[: at + 1], [word for word in check.argv[at + 1 :] if word != "run"]
    if any(not word.startswith("-") or word in ("-t", "-c") for word in rest):
        return None
    words = ("--findRelatedTests", path) if check.tool == "jest" else ("related", path)
    argv = (*head, *rest, *words) if check.tool == "jest" else (*head, *words, *rest)
    return replace(check, argv=argv) if check.tool in _RELATING else None


def chosen_at_run_time(sources: Iterable[bytes]) -> bool:
    """Whether code loads what it names only while it runs."""
    return any(_DYNAMIC.search(data) for data in sources)


def choices(check: Check, files: Mapping[str, bytes], folder: Folder, overlay: Overlay) -> Choices:
    """For a project; several modules in one, replaced ones and a vendored one are not looked through."""
    laid = overlay.get("go.mod")
    manifest = (laid.data if laid is not None else folder.read("go.mod")) or b"" if check.tool == "go test" else b""
    module = _MODULE.search(manifest)
    plain = module is not None and b"replace" not in manifest and not folder.exists("go.work")
    return Choices(check, files, module=module[1].decode("utf-8", "replace") if plain and module is not None else "")


def _is_of(test: str, package: str) -> bool:
    """Whether a test is one of a package itself: behind its name comes that of a test, with a capital."""
    rest = test.removeprefix(f"{package}/") if test.startswith(f"{package}/") else ""
    return re.match(r"(?:Test|Example|Fuzz)", rest) is not None
