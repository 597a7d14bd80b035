"""Rust at run time and in tests: panics with and without a backtrace, the error that main returned."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from windtunnel.core.problem import Place, ProblemKind
from windtunnel.diagnosis.base import Example, Found, Reader, problem
from windtunnel.diagnosis.kinds_rust import run_kind
from windtunnel.diagnosis.text import number

_PANIC = re.compile(
    r"thread '(.{0,200}?)' (?:\(\d{1,12}\) )?panicked at (?:'(.*)', )?(\S.{0,500}?):([0-9]{1,9}):([0-9]{1,9}):?")
_NUMBERED = re.compile(r" *[0-9]{1,5}: (?:0x[0-9a-f]{1,16} - )?(.{1,300})")
_AT = re.compile(r" +at (\S.{0,500}?):([0-9]{1,9})(?::([0-9]{1,9}))?")
_OVERFLOW = re.compile(r"thread '(.{0,200}?)' (?:\(\d{1,12}\) )?has overflowed its stack")
_QUIET = re.compile(r"(?:note: )?test did not panic as expected(?: at (\S.{0,500}?):([0-9]{1,9}):([0-9]{1,9}))?")
_STDOUT = re.compile(r"---- (.{1,300}) stdout ----")
_RETURNED = re.compile(r"Error: (.+)")
_DEBUG = re.compile(r"Error: (?:[A-Z]\w{1,80}(?:\(| \{ )|[A-Z]\w{1,80}$)")
_ENDS = ("note: ", "stack backtrace:", "thread '", "failures:", "---- ", "test result:", "error: test failed")
_MOST = 12
_MOST_STACK = 400


def read(lines: Sequence[str]) -> Iterator[Found]:
    """Every panic; the name of its thread is the test's, where it is one."""
    test = ""
    rusty = any("rust" in line.lower() or "panicked" in line or "cargo" in line for line in lines)
    for at, line in enumerate(lines):
        if (named := _STDOUT.fullmatch(line)) is not None:
            test = named[1]
        elif line.startswith("test result:") or line == "failures:":
            test = ""
        elif line.startswith("thread '") and (panic := _PANIC.fullmatch(line)) is not None:
            yield _panic(lines, at, panic=panic, test=test)
        elif line.startswith("thread '") and (deep := _OVERFLOW.match(line)) is not None:
            yield Found(problem=problem(ProblemKind.RECURSION, "stack overflow", name="stack overflow",
                                        test=test or _thread(deep[1])), first=at, last=at)
        elif "did not panic as expected" in line and (quiet := _QUIET.fullmatch(line.strip())) is not None:
            place = Place(file=quiet[1], line=number(quiet[2]), column=number(quiet[3])) if quiet[1] else None
            yield Found(problem=problem(ProblemKind.ASSERTION, "test did not panic as expected", name="should_panic",
                                        place=place, test=test), first=at, last=at)
        elif line.startswith(("memory allocation of ", "fatal runtime error: ")):
            yield Found(problem=problem(run_kind(line), line, name="abort"), first=at, last=at)
        elif line.startswith("Error: ") and (rusty or test or _DEBUG.match(line)) and (
                (said := _RETURNED.fullmatch(line)) is not None):
            yield Found(problem=problem(run_kind(said[1]), said[1], name="Error", test=test), first=at, last=at)


def _thread(name: str) -> str:
    return name if "::" in name else ""


def _panic(lines: Sequence[str], at: int, *, panic: re.Match[str], test: str) -> Found:
    end = at + 1
    words = panic[2]
    if words is None:
        while end < len(lines) and end <= at + _MOST and not lines[end].startswith(_ENDS) and (
                lines[end].strip() or end == at + 1):
            end += 1
        words = "\n".join(line for line in lines[at + 1 : end])
    place = Place(file=panic[3], line=number(panic[4]), column=number(panic[5]))
    frames, last = _stack(lines, end)
    there = any((frame.file, frame.line) == (place.file, place.line) for frame in frames)
    kept = frames if there else [*frames, place]
    return Found(problem=problem(run_kind(words), words, name="panic", frames=kept, test=test or _thread(panic[1])),
                 first=at, last=max(last, end - 1))


def _stack(lines: Sequence[str], start: int) -> tuple[list[Place], int]:
    """The frames of a backtrace that name a file, outermost first, and the last line of it."""
    frames: list[Place] = []
    symbol, last = None, start - 1
    if not any(line.startswith("stack backtrace:") for line in lines[start : start + 2]):
        return [], last
    for step, line in enumerate(lines[start : start + _MOST_STACK], start=start):
        if (numbered := _NUMBERED.fullmatch(line)) is not None:
            symbol, last = numbered[1], step
        elif (site := _AT.fullmatch(line)) is not None:
            frames.append(Place(file=site[1], line=number(site[2]), column=number(site[3]), symbol=symbol))
            last = step
        elif line.startswith(("note: ", "thread '", "test ", "failures")) or not line.strip():
            break
    return frames[::-1], last


READER = Reader(name="rust", language="rust", read=read, examples=(
    Example(output="""\
---- tests::adds stdout ----

thread 'tests::adds' (77) panicked at src/lib.rs:9:9:
assertion `left == right` failed
  left: 3
 right: 4
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
""", problems=(("assertion", "src/lib.rs", 9),)),
    Example(output="test tests::adds ... ok\n"),
))
