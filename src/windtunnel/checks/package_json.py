"""What a project's package.json says: scripts, dependencies, package manager; read without running anything."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from windtunnel.checks.findings import parsed
from windtunnel.checks.node_command import is_assignment, runner_of
from windtunnel.core.tool import Project
from windtunnel.core.trial import Check, Kind

NAME = "package.json"

_LOCKS = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn"}
_MANAGERS = frozenset({"npm", "pnpm", "yarn"})
_DEPENDENCIES = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
_DEEPEST = 5
_SHELL = re.compile(r"[$`\n]|(^|\s)~")
_OPERATOR = re.compile(r"[();<>|&]+")
_PLACEHOLDER = "no test specified"
_MENTION = re.compile(r"(?<![\w-])(?:(jest|vitest|mocha)(?![\w-])|node\s[^&|;]*--test(?![\w-]))")


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The parts of a package.json that name commands."""

    scripts: Mapping[str, str] = field(default_factory=dict)
    dependencies: frozenset[str] = frozenset()
    manager: str = "npm"
    keys: frozenset[str] = frozenset()
    """The names at the top: some tools are configured there."""

    def resolved(self, name: str, *, depth: int = 0) -> tuple[str, ...] | None:
        """The one command that a script comes to; None when there is none, or when it takes a shell to run it.

        Variables that the script sets stand before it as ``env NAME=value``.
        """
        hooks = {f"pre{name}", f"post{name}"} & self.scripts.keys()
        words = None if hooks or depth > _DEEPEST else _words(self.scripts.get(name, ""))
        if not words:
            return None
        called = self._called(words)
        if called is None:
            return words
        inner = self.resolved(called[0], depth=depth + 1)
        return None if inner is None else (*inner, *called[1:])

    def _called(self, words: tuple[str, ...]) -> tuple[str, ...] | None:
        """The script, and words for it, that a script does nothing but call: ``npm run unit -- --ci``."""
        if words[0] not in _MANAGERS:
            return None
        rest = [word for word in words[1:] if word not in ("run", "run-script", "--silent", "-s", "--")]
        return tuple(rest) if rest and rest[0] in self.scripts else None


def manifest(project: Project) -> Manifest | None:
    """The package.json at the root of a project; None when there is none that can be understood."""
    document = parsed(project.read(NAME) or b"")
    if not isinstance(document, dict):
        return None
    named = document.get("packageManager")
    stated = named.partition("@")[0] if isinstance(named, str) else ""
    locked = next((manager for lock, manager in _LOCKS.items() if project.exists(lock)), "npm")
    return Manifest(
        scripts=_texts(document.get("scripts")), manager=stated if stated in _MANAGERS else locked,
        dependencies=frozenset(name for key in _DEPENDENCIES for name in _names(document.get(key))),
        keys=frozenset(document),
    )  # fmt: skip


def test_check(
    project: Project, tool: str, *, alone: Callable[[Manifest], tuple[str, ...] | None],
) -> Check | None:
    """The test command of a project, if it is this tool's: its test script, or ``alone`` when it has none.

    A script that takes a shell (several commands, hooks before and after) is run as it is, by the package manager;
    exactly one tool names it, so that it runs once.
    """
    found = manifest(project)
    if found is None:
        return None
    script = found.scripts.get("test", "")
    if not script.strip() or _PLACEHOLDER in script:
        argv = alone(found)
        return None if argv is None else Check(kind=Kind.TEST, tool=tool, argv=argv, found_in=NAME)
    command = found.resolved("test")
    runner = None if command is None else runner_of(command)
    if command is not None and runner is not None:
        return Check(kind=Kind.TEST, tool=tool, argv=command, found_in=NAME) if runner == tool else None
    if tool != (_mentioned(script) or "node:test"):
        return None
    return Check(kind=Kind.TEST, tool="command", argv=(found.manager, "test"), found_in=NAME)


def _mentioned(script: str) -> str | None:
    found = _MENTION.search(script)
    return None if found is None else found[1] or "node:test"


def _words(script: str) -> tuple[str, ...] | None:
    """A script as the words of one command; None when it takes a shell."""
    if _SHELL.search(script):
        return None
    lexer = shlex.shlex(script, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        words = tuple(lexer)
    except ValueError:
        return None
    if any(_OPERATOR.fullmatch(word) for word in words):
        return None
    if words[:1] in (("cross-env",), ("env",)):
        words = words[1:]
    return ("env", *words) if words and is_assignment(words[0]) else words


def _texts(value: object) -> dict[str, str]:
    pairs = value.items() if isinstance(value, dict) else ()
    return {name: text for name, text in pairs if isinstance(text, str)}


def _names(value: object) -> tuple[str, ...]:
    return tuple(value) if isinstance(value, dict) else ()
