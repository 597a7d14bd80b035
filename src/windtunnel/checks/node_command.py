"""The words of a command that starts something in JavaScript: which runner it is, and where its own words begin."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

_RUNNERS = {"jest": "jest", "vitest": "vitest", "mocha": "mocha", "_mocha": "mocha"}
_WRAPPERS = frozenset({"npx", "bunx", "c8", "nyc"})
"""Programs that start the one named after their options."""
_MANAGERS = {"npm": ("exec", "x"), "pnpm": ("exec",), "yarn": ("run", "exec")}
_ENVIRONMENTS = frozenset({"env", "cross-env", "cross-env-shell"})
_NODE = frozenset({"node", "nodejs"})
_NODE_VALUED = frozenset({
    "-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions", "--test-reporter",
    "--test-reporter-destination", "--test-name-pattern", "--test-concurrency", "--test-timeout", "--env-file",
})  # fmt: skip
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_SUFFIX = re.compile(r"\.[cm]?js$")


def is_assignment(word: str) -> bool:
    """Whether it sets a variable: ``NODE_ENV=test``."""
    return _ASSIGNMENT.match(word) is not None


def runner_of(argv: tuple[str, ...]) -> str | None:
    """The name of the test runner that a command starts, if it is one that is known here."""
    at = program_at(argv, _RUNNERS)
    if at is not None:
        return _RUNNERS[_name(argv[at])]
    start = _after_environment(argv)
    node = start < len(argv) and _name(argv[start]) in _NODE
    return "node:test" if node and "--test" in _node_options(argv[start + 1 :]) else None


def program_at(argv: tuple[str, ...], names: Collection[str]) -> int | None:
    """Where one of these programs stands, behind nothing but what starts it; None when it does not."""
    at = _after_environment(argv)
    script = False
    while at < len(argv):
        name = _name(argv[at])
        if name in names and (not script or "node_modules/" in argv[at]):
            return at
        if name in _NODE:
            script = True  # A file of the project may have the name of a runner.
            at += 1 + len(_node_options(argv[at + 1 :]))
        elif name in _MANAGERS:
            at = _after_options(argv, at + 1)
            at += at < len(argv) and argv[at] in _MANAGERS[name]
            at = _after_options(argv, at)
        elif name in _WRAPPERS:
            at = _after_options(argv, at + 1)
        else:
            return None
    return None


def split_environment(argv: tuple[str, ...]) -> tuple[dict[str, str], tuple[str, ...]]:
    """The variables that a command sets for itself, and the command without them."""
    start = _after_environment(argv)
    pairs = (word.partition("=") for word in argv[:start] if is_assignment(word))
    return {name: value for name, _, value in pairs}, argv[start:]


def without(words: Iterable[str], *, flags: Collection[str] = (), valued: Collection[str] = ()) -> tuple[str, ...]:
    """The words without some options, and without the values of those that have one."""
    kept: list[str] = []
    rest = iter(words)
    for word in rest:
        if word in valued:
            next(rest, None)
        elif word not in flags and word.partition("=")[0] not in (*flags, *valued):
            kept.append(word)
    return tuple(kept)


def node_operands(words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What follows ``node``, apart: options with their values, and files."""
    options: list[str] = []
    operands: list[str] = []
    rest = iter(words)
    for word in rest:
        if not word.startswith("-"):
            operands.append(word)
            continue
        options.append(word)
        if word in _NODE_VALUED:
            options.extend(value for value in (next(rest, None),) if value is not None)
    return tuple(options), tuple(operands)


def _name(word: str) -> str:
    return _SUFFIX.sub("", word.rpartition("/")[2])


def _after_environment(argv: tuple[str, ...]) -> int:
    if not argv or _name(argv[0]) not in _ENVIRONMENTS:
        return 0
    return next((at for at, word in enumerate(argv) if at and not is_assignment(word)), len(argv))


def _after_options(argv: tuple[str, ...], at: int) -> int:
    while at < len(argv) and argv[at].startswith("-"):
        at += 1
    return at


def _node_options(words: tuple[str, ...]) -> tuple[str, ...]:
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _NODE_VALUED else 1
    return words[:at]
