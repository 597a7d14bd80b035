"""Bash and sh: messages of the shell, and of the commands it ran.

A shell goes on after an error; the last one is taken for what ended the script.
"""

from __future__ import annotations

import re

from windtunnel.core.problem import Place, Problem
from windtunnel.parsers.base import Example, Parser, fatal_first, problem
from windtunnel.parsers.text import lines

_SAID = re.compile(r"([^:]+): (?:line )?([0-9]{1,9}): (.+)")
_COMMAND = re.compile(r"[^\s:]+: .+")
_SYNTAX = "syntax error"


def parse(stderr: str, _stdout: str) -> tuple[Problem, ...]:
    """Every message of the shell, and the last line when a command wrote it."""
    written = [line for line in lines(stderr) if line.strip()]
    found = [(line, match) for line in written if (match := _SAID.fullmatch(line)) is not None]
    errors = [_error(match) for _, match in found if not match[3].startswith("`")]
    if written and (not found or found[-1][0] is not written[-1]) and _COMMAND.fullmatch(written[-1]):
        errors.append(problem(_kind(written[-1]), written[-1]))
    return fatal_first([[error] for error in errors])


def _error(found: re.Match[str]) -> Problem:
    place = Place(file=found[1], line=int(found[2]))
    return problem(_kind(found[3]), found[3], frames=(place,))


def _kind(message: str) -> str:
    """The shell's own words at the end: ``command not found``, ``Permission denied``."""
    if message.lower().startswith((_SYNTAX, "unexpected eof")):
        return _SYNTAX
    return message.rpartition(": ")[2]


PARSER = Parser(
    name="shell",
    languages=("bash", "sh", "shell", "posix", "dash"),
    parse=parse,
    causes={
        "command not found": ("the program is not installed in the sandbox", "a misspelt name"),
        "not found": ("the program is not installed in the sandbox", "a misspelt name"),
        "unbound variable": ("a variable that was never set, under set -u",),
        "parameter not set": ("a variable that was never set, under set -u",),
        "syntax error": ("an unclosed quote, bracket, if or loop", "a script for bash that is run by sh"),
        "No such file or directory": ("the file was not sent with the program; no others of the host are there",),
        "Bad substitution": ("a script for bash that is run by sh",),
    },
    examples=(
        Example(
            stderr="""\
/sandbox/cmd.sh: line 3: nothere: command not found
""",
            expected=(
                Problem(
                    kind="command not found",
                    message="nothere: command not found",
                    place=Place(file="/sandbox/cmd.sh", line=3),
                    frames=(Place(file="/sandbox/cmd.sh", line=3),),
                ),
            ),
        ),
        Example(
            stderr="""\
/sandbox/cmd.sh: 3: nothere: not found
""",
            expected=(
                Problem(
                    kind="not found",
                    message="nothere: not found",
                    place=Place(file="/sandbox/cmd.sh", line=3),
                    frames=(Place(file="/sandbox/cmd.sh", line=3),),
                ),
            ),
        ),
        Example(
            stderr="""\
/sandbox/perm.sh: line 1: /usr/x: Read-only file system
cat: /nothere: No such file or directory
""",
            expected=(
                Problem(
                    kind="No such file or directory",
                    message="cat: /nothere: No such file or directory",
                ),
                Problem(
                    kind="Read-only file system",
                    message="/usr/x: Read-only file system",
                    place=Place(file="/sandbox/perm.sh", line=1),
                    frames=(Place(file="/sandbox/perm.sh", line=1),),
                ),
            ),
        ),
        Example(
            stderr="""\
reading the settings
""",
        ),
    ),
)
