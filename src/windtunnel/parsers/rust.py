"""Rust: errors of the compiler and panics."""

from __future__ import annotations

import re
from itertools import islice

from windtunnel.core.problem import Place, Problem
from windtunnel.parsers.base import MOST_PROBLEMS, Example, Parser, innermost, problem
from windtunnel.parsers.text import lines, location

_ERROR = re.compile(r"(error(?:\[E[0-9]{1,5}\])?): (.*)")
_ARROW = re.compile(r" *--> (.+)")
_NUMBERED = re.compile(r" *[0-9]{1,4}: (.+)")
_SUMMARIES = ("aborting due to ", "could not compile ")
_ENDS = ("note: ", "stack backtrace:")
_MOST_TRACE = 400


def parse(stderr: str, _stdout: str) -> tuple[Problem, ...]:
    """What the compiler refused, or else the panic, or else the error that main returned."""
    written = lines(stderr)
    return _compile_errors(written) or _panics(written) or _returned(written)


def _compile_errors(written: list[str]) -> tuple[Problem, ...]:
    found: list[tuple[str, str, list[Place]]] = []
    for line in written:
        if (error := _ERROR.fullmatch(line)) is not None:
            if not error[2].startswith(_SUMMARIES):
                found.append((error[1], error[2], []))
        elif found and not found[-1][2] and (arrow := _ARROW.fullmatch(line)) is not None:
            place = location(arrow[1])
            found[-1][2].extend([] if place is None else [place])
    return tuple(problem(kind, message, frames=frames) for kind, message, frames in found)


def _panics(written: list[str]) -> tuple[Problem, ...]:
    panics = (
        _panic(line.partition(" panicked at ")[2], written[index + 1 : index + _MOST_TRACE])
        for index, line in enumerate(written)
        if line.startswith("thread '") and " panicked at " in line
    )
    return tuple(islice(panics, MOST_PROBLEMS))


def _panic(where: str, below: list[str]) -> Problem:
    """From ``file:line:column:`` with the words below it, or ``'words', file:line:column`` before Rust 1.73."""
    if where.startswith("'"):
        words, _, where = where[1:].rpartition("', ")
    else:
        end = next((at for at, line in enumerate(below) if not line or line.startswith(_ENDS)), len(below))
        words = "\n".join(below[:end])
    place = location(where.removesuffix(":"))
    frames = _stack(below)
    if place is not None and innermost(frames) is None:
        frames = [place, *frames]
    return problem("panic", words, frames=frames, place=place)


def _stack(below: list[str]) -> list[Place]:
    """The frames of a backtrace that name a file."""
    frames: list[Place] = []
    symbol: str | None = None
    for line in below:
        if line.startswith(("thread '", "note: ")):
            break
        if (numbered := _NUMBERED.fullmatch(line)) is not None:
            symbol = numbered[1]
        elif line.startswith("  ") and line.lstrip().startswith("at "):
            place = location(line.strip().removeprefix("at "), symbol=symbol)
            frames.extend([] if place is None else [place])
    return frames[::-1]


def _returned(written: list[str]) -> tuple[Problem, ...]:
    said = [line for line in written if line.startswith("Error: ")]
    return tuple(problem("Error", line.removeprefix("Error: ")) for line in said[-1:])


PARSER = Parser(
    name="rust",
    languages=("rust", "rs"),
    parse=parse,
    causes={
        "error[E0308]": ("a value of another type than expected",),
        "error[E0382]": ("a value is used after it was moved: borrow or clone it",),
        "error[E0425]": ("a misspelt name", "a missing use"),
        "error[E0432]": ("a crate that is not there: only the standard library is in the sandbox",),
        "error[E0433]": ("a crate that is not there: only the standard library is in the sandbox", "a missing use"),
        "error[E0463]": ("a crate that is not there: only the standard library is in the sandbox",),
        "error[E0499]": ("two mutable borrows at the same time",),
        "error[E0502]": ("a mutable borrow while another borrow lives",),
        "error[E0505]": ("a value is moved while it is borrowed",),
        "index out of bounds": ("a slice shorter than expected",),
        "`Result::unwrap()` on an `Err`": ("an error that can happen is unwrapped instead of handled",),
        "`Option::unwrap()` on a `None`": ("a value that can be missing is unwrapped instead of handled",),
        "attempt to subtract with overflow": ("an unsigned number would become negative",),
        "with overflow": ("a number leaves the range of its type",),
    },
    examples=(
        Example(
            stderr="""\
error[E0308]: mismatched types
 --> /sandbox/borrow.rs:2:21
  |
2 |     let name: i32 = "text";
  |               ---   ^^^^^^ expected `i32`, found `&str`
  |               |
  |               expected due to this

error[E0425]: cannot find function `missing` in this scope
 --> /sandbox/borrow.rs:6:5
  |
6 |     missing();
  |     ^^^^^^^ not found in this scope

error: aborting due to 2 previous errors

Some errors have detailed explanations: E0308, E0425.
For more information about an error, try `rustc --explain E0308`.
""",
            expected=(
                Problem(
                    kind="error[E0308]",
                    message="mismatched types",
                    place=Place(file="/sandbox/borrow.rs", line=2, column=21),
                    frames=(Place(file="/sandbox/borrow.rs", line=2, column=21),),
                ),
                Problem(
                    kind="error[E0425]",
                    message="cannot find function `missing` in this scope",
                    place=Place(file="/sandbox/borrow.rs", line=6, column=5),
                    frames=(Place(file="/sandbox/borrow.rs", line=6, column=5),),
                ),
            ),
        ),
        Example(
            stderr="""\

thread 'main' (19293) panicked at /sandbox/panic.rs:2:5:
index out of bounds: the len is 2 but the index is 3
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
""",
            expected=(
                Problem(
                    kind="panic",
                    message="index out of bounds: the len is 2 but the index is 3",
                    place=Place(file="/sandbox/panic.rs", line=2, column=5),
                    frames=(Place(file="/sandbox/panic.rs", line=2, column=5),),
                ),
            ),
        ),
        Example(
            stderr="""\
warning: unused variable: `unused`
 --> /sandbox/warn.rs:2:9
  |
2 |     let unused = 1;
  |         ^^^^^^ help: if this is intentional, prefix it with an underscore: `_unused`
  |
  = note: `#[warn(unused_variables)]` (part of `#[warn(unused)]`) on by default

warning: 1 warning emitted

""",
        ),
    ),
)
