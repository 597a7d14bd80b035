"""Lua: the interpreter's message and its traceback."""

from __future__ import annotations

import re

from windtunnel.core.problem import Place, Problem
from windtunnel.parsers.base import Example, Parser, problem
from windtunnel.parsers.text import lines, location

_HEAD = re.compile(r"(?:[^ :]*/)?lua[^ :/]*: (.*)")
_PLACE = re.compile(r"([^:]+:[0-9]{1,9}): (.*)")
_SYNTAX = re.compile(r".* near (?:<eof>|'.*)")
_TRACE = "stack traceback:"


def parse(stderr: str, _stdout: str) -> tuple[Problem, ...]:
    """The error that the interpreter ended with."""
    written = lines(stderr)
    heads = [(index, found) for index, line in enumerate(written) if (found := _HEAD.fullmatch(line)) is not None]
    if not heads:
        return ()
    index, head = heads[-1]
    below = written[index + 1 :]
    end = below.index(_TRACE) if _TRACE in below else len(below)
    where = _PLACE.fullmatch(head[1])
    said = where[2] if where is not None else head[1]
    frames = _stack(below[end + 1 :])
    place = location(where[1]) if where is not None else None
    if place is not None and not any((frame.file, frame.line) == (place.file, place.line) for frame in frames):
        frames = [*frames, place]
    kind = "syntax error" if _SYNTAX.fullmatch(said) else "error"
    return (problem(kind, "\n".join([said, *below[:end]]), frames=frames),)


def _stack(below: list[str]) -> list[Place]:
    frames: list[Place] = []
    for line in below:
        where, inside, symbol = line.strip().partition(": in ")
        if not inside or not line.startswith("\t"):
            break
        frames.append(location(where, symbol=symbol) or Place(file=where, symbol=symbol))
    return frames[::-1]


PARSER = Parser(
    name="lua",
    languages=("lua",),
    parse=parse,
    causes={
        "syntax error": ("an unexpected or missing word, bracket or end near this line",),
        "attempt to index a nil value": ("a field or variable that was never given a value", "a misspelt name"),
        "attempt to call a nil value": ("a misspelt function", "a library that was not loaded"),
        "attempt to perform arithmetic": ("a value that is nil or no number",),
        "attempt to concatenate": ("a value that is nil or a table",),
        "attempt to compare": ("values of two types, or nil",),
        "not found:": ("the module is not installed in the sandbox", "a file that was not sent with the program"),
        "stack overflow": ("a recursion without end",),
        "not enough memory": ("the program needs more memory than memory_bytes allows",),
    },
    examples=(
        Example(
            stderr="""\
lua5.4: /sandbox/nil.lua:2: attempt to index a nil value (field 'cost')
stack traceback:
\t/sandbox/nil.lua:2: in local 'price'
\t/sandbox/nil.lua:4: in main chunk
\t[C]: in ?
""",
            expected=(
                Problem(
                    kind="error",
                    message="attempt to index a nil value (field 'cost')",
                    place=Place(file="/sandbox/nil.lua", line=2, symbol="local 'price'"),
                    frames=(
                        Place(file="[C]", symbol="?"),
                        Place(file="/sandbox/nil.lua", line=4, symbol="main chunk"),
                        Place(file="/sandbox/nil.lua", line=2, symbol="local 'price'"),
                    ),
                ),
            ),
        ),
        Example(
            stderr="""\
lua5.4: /sandbox/syntax.lua:1: unexpected symbol near '='
""",
            expected=(
                Problem(
                    kind="syntax error",
                    message="unexpected symbol near '='",
                    place=Place(file="/sandbox/syntax.lua", line=1),
                    frames=(Place(file="/sandbox/syntax.lua", line=1),),
                ),
            ),
        ),
        Example(
            stderr="""\
giving up
""",
        ),
    ),
)
