"""A command as a person writes it, taken apart: words where it is plain, a shell where it needs one."""

from __future__ import annotations

import re
import shlex

from windtunnel.core.errors import UsageError

_QUOTED = re.compile(r"""\\.|'[^']*'|"((?:[^"\\]|\\.)*)\"""", re.DOTALL)
_SHELL = re.compile(r"[|&;<>()$`*\n]|(?:^|\s)[~#!]")
_BUILTINS = frozenset({
    ".", ":", "{", "[", "alias", "case", "cd", "command", "eval", "exec", "exit", "export", "for", "if", "set",
    "source", "trap", "type", "ulimit", "umask", "unset", "until", "while",
})  # fmt: skip
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_MOST = 16_384


def taken_apart(text: str, *, field: str) -> tuple[str, ...]:
    """The words of a command; ``sh -c`` with the whole text where it uses the shell; nothing for an empty one.

    Variables set before the program (``A=1 pytest``) become ``env A=1 pytest``, so that its tool is still recognised.
    """
    if "\0" in text or len(text) > _MOST:
        raise UsageError(f"{field}: not a command: {text[:80]!r} (one line of text without NUL)", field=field)
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"{field}: {text[:80]!r} has no end: {error} (close the quotes)", field=field) from None
    if not words:
        return ()
    if _needs_shell(text.strip()) or words[0] in _BUILTINS:
        return ("sh", "-c", text)
    return ("env", *words) if _ASSIGNMENT.match(words[0]) else tuple(words)


def _needs_shell(text: str) -> bool:
    """Whether anything outside quotes, or a ``$`` or back quote in double ones, means something to a shell.

    Also an escaped one: ``shlex`` would keep the stroke that a shell takes away.
    """
    doubled = any(re.search(r"[$`]", found[1]) for found in _QUOTED.finditer(text) if found[1])
    return doubled or bool(_SHELL.search(_QUOTED.sub("_", text)))
