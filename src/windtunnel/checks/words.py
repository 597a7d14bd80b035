"""The words of a command: which program it really starts, and options that must stand once."""

from __future__ import annotations

import re

_PYTHON = re.compile(r"(python|pypy)[\d.]*$")
_VALUED = frozenset({"-W", "-X"})
_RUNNERS = frozenset({"uv", "poetry", "pdm", "hatch", "pipenv", "rye"})
"""Programs that start another one in the project's environment: ``uv run pytest``."""
_RUNNER_VALUED = frozenset({"--with", "--group", "--extra", "--python", "-p", "--project", "--directory", "--package"})
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")


def started(argv: tuple[str, ...]) -> tuple[str, ...]:
    """The command as its program sees it: ``uv run python -m ruff check`` is ``ruff check``.

    The first word is the plain name of the program or module; nothing at all for a command that starts none.
    """
    argv = _without_runner(_without_assignments(argv))
    if not argv:
        return ()
    name = argv[0].rpartition("/")[2]
    return _module(argv[1:]) or (name, *argv[1:]) if _PYTHON.match(name) else (name, *argv[1:])


def assignments(argv: tuple[str, ...]) -> tuple[dict[str, str], tuple[str, ...]]:
    """The variables that ``env A=1 B=2 program`` sets, and the command without them."""
    rest = _without_assignments(argv)
    taken = argv[1 : len(argv) - len(rest)] if rest != argv else ()
    return {name: value for name, _, value in (word.partition("=") for word in taken)}, rest


def with_option(argv: tuple[str, ...], option: str, value: str, *, short: str | None = None) -> tuple[str, ...]:
    """The command with this value for the option, in place of any value that it had."""
    kept, rest = _split(argv)
    return (*_without(kept, option, short), f"{option}={value}", *rest)


def with_flags(argv: tuple[str, ...], *flags: str) -> tuple[str, ...]:
    """The command with flags that it does not have yet."""
    kept, rest = _split(argv)
    return (*kept, *(flag for flag in flags if flag not in kept), *rest)


def _without_assignments(argv: tuple[str, ...]) -> tuple[str, ...]:
    if not argv or argv[0].rpartition("/")[2] != "env":
        return argv
    first = next((at for at, word in enumerate(argv) if at and not _ASSIGNMENT.match(word)), len(argv))
    plain = first < len(argv) and not argv[first].startswith("-")
    return argv[first:] if plain else argv


def _without_runner(argv: tuple[str, ...]) -> tuple[str, ...]:
    if len(argv) < 3 or argv[0].rpartition("/")[2] not in _RUNNERS or argv[1] != "run":  # noqa: PLR2004 -- x run y
        return argv
    return _after_options(argv[2:], _RUNNER_VALUED)


def _after_options(argv: tuple[str, ...], valued: frozenset[str]) -> tuple[str, ...]:
    at = 0
    while at < len(argv) and argv[at].startswith("-") and argv[at] != "-m":
        at += 2 if argv[at] in valued else 1
    return argv[at:]


def _module(arguments: tuple[str, ...]) -> tuple[str, ...]:
    """What follows ``-m``; nothing when the interpreter runs no module."""
    rest = _after_options(arguments, _VALUED)
    return rest[1:] if rest[:1] == ("-m",) else ()


def _split(argv: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The options and what ``--`` sets apart."""
    at = argv.index("--") if "--" in argv else len(argv)
    return argv[:at], argv[at:]


def _without(argv: tuple[str, ...], option: str, short: str | None) -> list[str]:
    kept: list[str] = []
    words = iter(argv)
    for word in words:
        if word in (option, short):
            next(words, None)
        elif not word.startswith(f"{option}="):
            kept.append(word)
    return kept
