"""PHP: fatal errors and uncaught exceptions, which go to standard output unless told otherwise."""

from __future__ import annotations

import re

from windtunnel.core.problem import Place, Problem
from windtunnel.parsers.base import Example, Parser, chain, problem
from windtunnel.parsers.text import lines, location, number

_FATAL = re.compile(r"(?:PHP )?(Fatal error|Parse error|Recoverable fatal error|Compile error): +(.*)")
_ON_LINE = re.compile(r"(.*) in (.+) on line ([0-9]{1,9})")
_NEXT = re.compile(r"Next ([\w\\]+)(?:: (.*))?")
_UNCAUGHT = re.compile(r"Uncaught ([\w\\]+)(?:: (.*))?")
_FRAME = re.compile(r"#[0-9]+ ([^(]+)\(([0-9]{1,9})\): ([^(]*)\(.*")
_MAIN = re.compile(r"#[0-9]+ \{main\}")


def parse(stderr: str, stdout: str) -> tuple[Problem, ...]:
    """The last fatal error, from whichever stream has one."""
    return _fatal(lines(stderr)) or _fatal(lines(stdout))


def _fatal(written: list[str]) -> tuple[Problem, ...]:
    said = [(index, found) for index, line in enumerate(written) if (found := _FATAL.fullmatch(line)) is not None]
    if not said:
        return ()
    index, fatal = said[-1]
    if (uncaught := _UNCAUGHT.match(fatal[2])) is not None:
        return chain(_thrown([(uncaught[1], [uncaught[2] or ""])], written[index + 1 :]))
    found = _ON_LINE.fullmatch(fatal[2])
    if found is None:
        return (problem(fatal[1], fatal[2]),)
    return (problem(fatal[1], found[1], frames=(Place(file=found[2], line=int(found[3])),)),)


def _thrown(errors: list[tuple[str, list[str]]], below: list[str]) -> list[Problem]:
    """Exceptions root cause first, as PHP prints them: each its words, ``Stack trace:`` and frames."""
    found: list[Problem] = []
    calls: list[re.Match[str]] = []
    in_trace = False
    for line in below:
        if not in_trace and line != "Stack trace:":
            errors[-1][1].append(line)
        elif (call := _FRAME.fullmatch(line)) is not None:
            calls.append(call)
        elif _MAIN.fullmatch(line) is not None:
            found.append(_exception(*errors[-1], calls=calls))
            calls = []
        elif (later := _NEXT.fullmatch(line)) is not None:
            errors.append((later[1], [later[2] or ""]))
            in_trace = False
            continue
        in_trace = in_trace or line == "Stack trace:"
    return found or [problem(errors[0][0], "\n".join(errors[0][1]))]


def _exception(kind: str, words: list[str], *, calls: list[re.Match[str]]) -> Problem:
    """A frame names the function that was called there, so each function is the symbol one frame further in."""
    message, _, where = "\n".join(words).rpartition(" in ")
    thrown_at = location(where, symbol=calls[0][3] if calls else None)
    symbols = [*(call[3] for call in calls[1:]), None]
    frames = [
        Place(file=call[1], line=number(call[2]), symbol=symbol) for call, symbol in zip(calls, symbols, strict=False)
    ]
    return problem(kind, message, frames=[*frames[::-1], *([thrown_at] if thrown_at is not None else [])])


PARSER = Parser(
    name="php",
    languages=("php",),
    parse=parse,
    causes={
        "DivisionByZeroError": ("the divisor can be zero",),
        "TypeError": ("a value of another type than declared",),
        "ArgumentCountError": ("too few arguments",),
        "Parse error": ("a missing semicolon, bracket or quote on this line or the one before",),
        "Call to undefined function": ("a misspelt name", "an extension that is not installed in the sandbox"),
        "Call to a member function": ("a value that is null or no object",),
        "not found": ("a class or file that was not sent with the program, or an autoloader that is not there",),
        "Allowed memory size": ("the program needs more memory than PHP's own memory_limit allows",),
    },
    examples=(
        Example(
            stderr="""\
PHP Fatal error:  Uncaught DivisionByZeroError: Division by zero in /sandbox/uncaught.php:4
Stack trace:
#0 /sandbox/uncaught.php(4): intdiv()
#1 /sandbox/uncaught.php(9): read()
#2 {main}

Next RuntimeException: no port in /sandbox/uncaught.php:6
Stack trace:
#0 /sandbox/uncaught.php(9): read()
#1 {main}
  thrown in /sandbox/uncaught.php on line 6
""",
            expected=chain(
                (
                    Problem(
                        kind="DivisionByZeroError",
                        message="Division by zero",
                        place=Place(file="/sandbox/uncaught.php", line=4, symbol="intdiv"),
                        frames=(
                            Place(file="/sandbox/uncaught.php", line=9),
                            Place(file="/sandbox/uncaught.php", line=4, symbol="read"),
                            Place(file="/sandbox/uncaught.php", line=4, symbol="intdiv"),
                        ),
                    ),
                    Problem(
                        kind="RuntimeException",
                        message="no port",
                        place=Place(file="/sandbox/uncaught.php", line=6, symbol="read"),
                        frames=(
                            Place(file="/sandbox/uncaught.php", line=9),
                            Place(file="/sandbox/uncaught.php", line=6, symbol="read"),
                        ),
                    ),
                )
            ),
        ),
        Example(
            stdout="""\

Warning: Undefined variable $missing in /sandbox/undef.php on line 2

Fatal error: Uncaught Error: Call to undefined function nothere() in /sandbox/undef.php:3
Stack trace:
#0 {main}
  thrown in /sandbox/undef.php on line 3
""",
            expected=(
                Problem(
                    kind="Error",
                    message="Call to undefined function nothere()",
                    place=Place(file="/sandbox/undef.php", line=3),
                    frames=(Place(file="/sandbox/undef.php", line=3),),
                ),
            ),
        ),
        Example(
            stdout="""\

Warning: Undefined variable $missing in /sandbox/warn.php on line 2
""",
        ),
    ),
)
