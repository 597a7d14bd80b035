"""Ruby: uncaught exceptions with their causes, and syntax errors."""

from __future__ import annotations

import re

from windtunnel.core.problem import Place, Problem
from windtunnel.parsers.base import Example, Parser, chain, problem
from windtunnel.parsers.text import lines, location

_KIND = re.compile(r"[A-Z][\w:]*")
_SYNTAX = re.compile(r"([^:]+:[0-9]{1,9}): (syntax error.*)")


def parse(stderr: str, _stdout: str) -> tuple[Problem, ...]:
    """The uncaught exception, what caused it before it; or the syntax errors."""
    written = lines(stderr)
    found: list[tuple[str, str, list[Place]]] = []
    for line in written:
        if (head := _head(line)) is not None:
            found.append(head)
        elif found and line.startswith("\tfrom ") and (frame := _frame(line.removeprefix("\tfrom "))) is not None:
            found[-1][2].append(frame)
    # A cause is printed below what it caused.
    errors = [problem(kind, message, frames=frames[::-1]) for kind, message, frames in found[::-1]]
    return chain(errors) or _syntax_errors(written)


def _frame(text: str) -> Place | None:
    where, _, symbol = text.partition(":in ")
    return location(where, symbol=symbol.strip("`'") or None)


def _head(line: str) -> tuple[str, str, list[Place]] | None:
    """The first line of an exception: ``file:line:in `symbol': message (Kind)``."""
    where, inside, rest = line.partition(":in ")
    if not inside or line.startswith(("\t", " ")) or not rest.endswith(")"):
        return None
    symbol, _, said = rest.partition("': ")
    message, _, kind = said.removesuffix(")").rpartition(" (")
    place = location(where, symbol=symbol.strip("`'") or None)
    return (kind, message, [place]) if place is not None and _KIND.fullmatch(kind) else None


def _syntax_errors(written: list[str]) -> tuple[Problem, ...]:
    return tuple(
        problem("SyntaxError", error[2].removesuffix(" (SyntaxError)"), frames=(place,))
        for line in written
        if (error := _SYNTAX.fullmatch(line)) is not None and (place := location(error[1])) is not None
    )


PARSER = Parser(
    name="ruby",
    languages=("ruby", "rb"),
    parse=parse,
    causes={
        "NoMethodError": ("the value is of another type than expected, often nil", "a misspelt method"),
        "NameError": ("a misspelt name", "a missing require"),
        "LoadError": (
            "the gem is not installed in the sandbox, and cannot be from inside the run while the network is off",
            "a file of the program that was not sent with it: require_relative reads from the file's own folder",
        ),
        "ArgumentError": ("a wrong number of arguments, or a value outside of what the method takes",),
        "TypeError": ("a value of another type than expected, often nil",),
        "ZeroDivisionError": ("the divisor can be zero",),
        "KeyError": ("the key is not there",),
        "SystemStackError": ("a recursion without end",),
        "SyntaxError": ("an unclosed bracket or a missing end",),
        "Errno::ENOENT": ("the file was not sent with the program",),
    },
    examples=(
        Example(
            stderr="""\
/sandbox/nomethod.rb:2:in `price': undefined method `round' for nil:NilClass (NoMethodError)

  item[:cost].round(2)
             ^^^^^^
\tfrom /sandbox/nomethod.rb:4:in `<main>'
""",
            expected=(
                Problem(
                    kind="NoMethodError",
                    message="undefined method `round' for nil:NilClass",
                    place=Place(file="/sandbox/nomethod.rb", line=2, symbol="price"),
                    frames=(
                        Place(file="/sandbox/nomethod.rb", line=4, symbol="<main>"),
                        Place(file="/sandbox/nomethod.rb", line=2, symbol="price"),
                    ),
                ),
            ),
        ),
        Example(
            stderr="""\
/sandbox/cause.rb:4:in `rescue in read': no port (RuntimeError)
\tfrom /sandbox/cause.rb:1:in `read'
\tfrom /sandbox/cause.rb:6:in `<main>'
/sandbox/cause.rb:2:in `Integer': invalid value for Integer(): "eighty" (ArgumentError)
\tfrom /sandbox/cause.rb:2:in `read'
\tfrom /sandbox/cause.rb:6:in `<main>'
""",
            expected=chain(
                (
                    Problem(
                        kind="ArgumentError",
                        message='invalid value for Integer(): "eighty"',
                        place=Place(file="/sandbox/cause.rb", line=2, symbol="Integer"),
                        frames=(
                            Place(file="/sandbox/cause.rb", line=6, symbol="<main>"),
                            Place(file="/sandbox/cause.rb", line=2, symbol="read"),
                            Place(file="/sandbox/cause.rb", line=2, symbol="Integer"),
                        ),
                    ),
                    Problem(
                        kind="RuntimeError",
                        message="no port",
                        place=Place(file="/sandbox/cause.rb", line=4, symbol="rescue in read"),
                        frames=(
                            Place(file="/sandbox/cause.rb", line=6, symbol="<main>"),
                            Place(file="/sandbox/cause.rb", line=1, symbol="read"),
                            Place(file="/sandbox/cause.rb", line=4, symbol="rescue in read"),
                        ),
                    ),
                )
            ),
        ),
        Example(
            stderr="""\
/sandbox/syntax.rb:2: syntax error, unexpected integer literal, expecting ')'
  1 +
  ^
""",
            expected=(
                Problem(
                    kind="SyntaxError",
                    message="syntax error, unexpected integer literal, expecting ')'",
                    place=Place(file="/sandbox/syntax.rb", line=2),
                    frames=(Place(file="/sandbox/syntax.rb", line=2),),
                ),
            ),
        ),
        Example(
            stderr="""\
careful
""",
        ),
    ),
)
