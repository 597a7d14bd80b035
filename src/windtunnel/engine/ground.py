"""A project made ready to be run in: where its programs are inside a sandbox, and what they need from the host."""

from __future__ import annotations

import contextlib
import glob
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from windtunnel.checks import tool_named
from windtunnel.checks.project import Folder
from windtunnel.core.errors import LanguageMissing, UsageError
from windtunnel.core.language import BASE_ENV
from windtunnel.core.ports import Rig
from windtunnel.core.tool import PLACE
from windtunnel.core.trial import Check, Checks, Kind
from windtunnel.languages.search import which

_LANGUAGES = {
    "go": "go", "cargo": "rust", "rustc": "rust", "clippy": "rust", "maven": "java", "gradle": "java", "javac": "java",
    "jest": "javascript", "vitest": "javascript", "mocha": "javascript", "node": "javascript", "npm": "javascript",
    "eslint": "javascript", "typescript": "javascript", "tsc": "javascript",
    "mvn": "java", "./mvnw": "java", "./gradlew": "java", "java": "java", "cmake": "c", "ctest": "c",
}
"""Tools, by the first part of their names, whose language has a toolchain to be shown."""
_CACHES = {
    "go": (("GOMODCACHE", "go/pkg/mod", ("",)),),
    "rust": (("CARGO_HOME", ".cargo", ("registry", "git")),),
    "java": (("", ".m2/repository", ("",)), ("GRADLE_RO_DEP_CACHE", ".gradle/caches", ("",))),
    "javascript": (("npm_config_cache", ".npm", ("",)),),
}
"""Dependency caches: (variable, folder below the home, parts of it that are shown, read-only); never credentials."""
_SYSTEM = {
    "": ("/usr/include", "/usr/share/dict"),
    "java": ("/usr/share/maven*", "/etc/maven", "/usr/share/java", "/etc/java-*", "/usr/share/gradle*",
             "/etc/ssl/certs/java"),
    "javascript": ("/usr/share/nodejs", "/usr/share/npm", "/usr/share/node_modules", "/usr/local/lib/node_modules"),
    "go": ("/usr/share/go-*", "/usr/lib/go*"),
    "c": ("/usr/share/cmake*", "/usr/share/pkgconfig", "/usr/share/aclocal*"),
}
"""Where distributions keep parts of tools besides the folders that every sandbox shows."""

_COMPANIONS = {"cargo test": ("rustdoc",)}
"""Programs that a tool starts by name from its own folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """Where checks run; the same for all checks of a trial, so that they share one kind of sandbox."""

    project: str
    folder: Folder
    paths: tuple[str, ...]
    env: Mapping[str, str]
    builds: bool = False
    """Whether a build comes first, which may make the program that another command calls."""

    def resolve(self, argv: tuple[str, ...], check: Check) -> tuple[str, ...]:
        """The command as it is called inside; ``python`` is the one that owns the check's own program."""
        first = argv[0]
        program = (_interpreter(self.folder, check) if first == "python" else None) or self.folder.which(first)
        if program is None and self._may_be_built(first, check):
            return f"{PLACE}/{os.path.normpath(first)}", *argv[1:]
        if program is None:
            tool = tool_named(check.tool)
            raise UsageError(f"{check.kind}: {first!r} is not found (to install it: {tool.install})",
                             field=str(check.kind))
        # A script is given to its interpreter by name: its first line may name a place that is not shown.
        interpreter = self.folder.needs(program).interpreter
        called = [interpreter, program] if interpreter else [program]
        return *map(self.folder.inside, called), *argv[1:]

    def _may_be_built(self, name: str, check: Check) -> bool:
        below = "/" in name and not os.path.normpath(name).startswith(("/", ".."))
        return self.builds and check.kind is not Kind.BUILD and below


def make_ground(rig: Rig, project: str, checks: Checks) -> Ground:
    """Look at every command once, and gather what all of them need."""
    folder = Folder(project, search=which)
    paths: dict[str, None] = {}
    folders: dict[str, None] = {}
    for word in dict.fromkeys(word for check in checks.checks for word in (
            check.argv[0], *_called(check), *_companions(check), "python", "node", "sh")):
        program = folder.which(word)
        if program is not None:
            paths |= dict.fromkeys(folder.needs(program).paths)
            folders[os.path.dirname(program)] = None  # noqa: PTH120 -- as it is spelled, links and all
    env: dict[str, str] = {}
    for language in ("", *sorted(_languages(checks))):
        paths |= dict.fromkeys(path for pattern in _SYSTEM.get(language, ()) for path in sorted(glob.glob(pattern)))  # noqa: PTH207 -- absolute
        with contextlib.suppress(LanguageMissing, UsageError):
            paths |= dict.fromkeys(rig.languages.toolchain(rig.languages.get(language)).paths)
        variables, shown = _caches(language)
        env |= variables
        paths |= dict.fromkeys(shown)
    search = [folder.inside(place) for place in folders]
    usual = [place for place in BASE_ENV["PATH"].split(":") if place not in search]
    return Ground(project=project, folder=folder, paths=tuple(paths), builds=bool(checks.of(Kind.BUILD)),
                  env=env | {"PATH": ":".join([*search, *usual])})


def _called(check: Check) -> tuple[str, ...]:
    """Tools that a line for the shell names anywhere: its first word may be ``cd`` or set a variable."""
    return tuple(word for word in check.argv if word in _LANGUAGES) if check.tool == "command" else ()


def _companions(check: Check) -> tuple[str, ...]:
    """Of a tool that is known, or of a command that calls it."""
    return _COMPANIONS.get(check.tool, ()) or _COMPANIONS.get(" ".join(check.argv[:2]), ())


def _interpreter(folder: Folder, check: Check) -> str | None:
    """The Python that a script of the project's own environment is run by."""
    program = folder.which(check.argv[0])
    return folder.needs(program).interpreter if program is not None else None


def _languages(checks: Checks) -> set[str]:
    first = {re.split(r"[-_ :]", check.tool)[0] for check in checks.checks}
    words = {word for check in checks.checks if check.tool == "command" for word in check.argv}
    return {language for part, language in _LANGUAGES.items() if part in first | words}


def _caches(language: str) -> tuple[dict[str, str], list[str]]:
    env, shown = {}, []
    for variable, below, parts in _CACHES.get(language, ()):
        top = Path(os.environ.get(variable) or Path.home() / below)
        there = [path for part in parts if (path := top / part).is_dir()]
        shown += [str(path) for path in there]
        if there and variable:
            env[variable] = str(top)
    return env, shown
