"""Perl: what it died of, and what it could not compile.

A warning looks like the message of ``die``; only the last message counts, unless compilation failed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from windtunnel.core.problem import Place, Problem
from windtunnel.parsers.base import Example, Parser, problem
from windtunnel.parsers.text import lines

_SAID = re.compile(r"(\S.*) at (\S+) line ([0-9]{1,9})(?:\.|(, .*))?")
_CALLED = re.compile(r"\t(.+) called at (\S+) line ([0-9]{1,9})")
_GAVE_UP = re.compile(r"(?:Execution of .+ aborted due to|BEGIN failed--|.+ had compilation errors).*")


def parse(stderr: str, _stdout: str) -> tuple[Problem, ...]:
    """Every error of a failed compilation, or else the last message."""
    written = [line for line in lines(stderr) if line.strip()]
    calls: list[Place] = []
    while written and (call := _CALLED.fullmatch(written[-1])) is not None:
        calls.append(Place(file=call[2], line=int(call[3]), symbol=call[1].partition("(")[0]))
        written.pop()
    if written and _GAVE_UP.fullmatch(written[-1]) is not None:
        return tuple(error for line in written if not _GAVE_UP.fullmatch(line) if (error := _error(line)) is not None)
    last = _error(written[-1], calls=calls) if written else None
    return () if last is None else (last,)


def _error(line: str, *, calls: Sequence[Place] = ()) -> Problem | None:
    found = _SAID.fullmatch(line)
    if found is None:
        return None
    kind = "syntax error" if found[1].startswith("syntax error") else "die"
    places = [*calls, Place(file=found[2], line=int(found[3]))]
    # A call names the function that was called there, so each function is the symbol one place further in.
    symbols = [None, *(call.symbol for call in calls)]
    frames = [replace(place, symbol=symbol) for place, symbol in zip(places, symbols, strict=True)]
    return problem(kind, found[1] + (found[4] or ""), frames=frames)


PARSER = Parser(
    name="perl",
    languages=("perl", "pl"),
    parse=parse,
    causes={
        "syntax error": ("a missing semicolon, bracket or quote on this line or the one before",),
        "in @INC": (
            "the module is not installed in the sandbox, and cannot be from inside the run while the network is off",
            "a file of the program that was not sent with it",
        ),
        "requires explicit package name": ("a misspelt variable", "a variable without my"),
        "division by zero": ("the divisor can be zero",),
        "on an undefined value": ("a value that was never given",),
        "object method": ("a misspelt method", "a module that was not loaded"),
        "No such file or directory": ("the file was not sent with the program",),
    },
    examples=(
        Example(
            stderr="""\
no port at /sandbox/carp.pl line 2.
\tmain::inner(1) called at /sandbox/carp.pl line 3
\tmain::outer() called at /sandbox/carp.pl line 4
""",
            expected=(
                Problem(
                    kind="die",
                    message="no port",
                    place=Place(file="/sandbox/carp.pl", line=2, symbol="main::inner"),
                    frames=(
                        Place(file="/sandbox/carp.pl", line=4),
                        Place(file="/sandbox/carp.pl", line=3, symbol="main::outer"),
                        Place(file="/sandbox/carp.pl", line=2, symbol="main::inner"),
                    ),
                ),
            ),
        ),
        Example(
            stderr="""\
Global symbol "$totl" requires explicit package name (did you forget to declare "my $totl"?) at /sandbox/strict.pl \
line 3.
Execution of /sandbox/strict.pl aborted due to compilation errors.
""",
            expected=(
                Problem(
                    kind="die",
                    message=(
                        'Global symbol "$totl" requires explicit package name (did you forget to declare "my '
                        '$totl"?)'
                    ),
                    place=Place(file="/sandbox/strict.pl", line=3),
                    frames=(Place(file="/sandbox/strict.pl", line=3),),
                ),
            ),
        ),
        Example(
            stderr="""\
careful at /sandbox/warn.pl line 1.
stopped
""",
        ),
    ),
)
