"""Go at run time: panics, fatal errors and races, with the stack of the goroutine."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from windtunnel.core.problem import Place, Problem
from windtunnel.diagnosis.base import Example, Found, Reader, chained, problem
from windtunnel.diagnosis.kinds_go import run_kind

_START = re.compile(r"(panic|fatal error|runtime|SIG[A-Z]{2,8}|unexpected fault address|WARNING: DATA RACE)(?:: (.*))?")
_SITE = re.compile(r"\s+(/?[^\s:][^:\n]{0,500}\.(?:go|s)):([0-9]{1,9})(?: \+0x[0-9a-f]{1,16})?(?: fp=.*)?")
_AGAIN = re.compile(r"\tpanic: (.*)")
_ENDED = re.compile(r"--- FAIL: (\S{1,300}) \(")
_OVER = re.compile(r"exit status|FAIL|ok |PASS|={5,}|--- ")
_STACKED = re.compile(r"[\w./*()\[\]{}·$%-]{1,400}\(.*\)?$|\s+\S|\.\.\.")
_MOST = 400
_ABOVE = 6


def read(lines: Sequence[str]) -> Iterator[Found]:
    """Every panic with what was panicked in turn, first things first."""
    at = 0
    while at < len(lines):
        said = _START.fullmatch(lines[at]) if lines[at][:1] in ("p", "f", "W", "S", "u") else None
        if said is None or said[1] == "runtime":
            at += 1
            continue
        end = _end(lines, at)
        yield from _panic(lines, at, end=end)
        at = end


def _end(lines: Sequence[str], at: int) -> int:
    """Where its stack ends: the first line that is neither words of the panic nor a frame of any goroutine."""
    step, seen = at + 1, False
    while step < len(lines) and step < at + _MOST:
        line = lines[step]
        if line.startswith(("goroutine ", "Previous ", "Goroutine ", "created by ")):
            seen = True
        elif _OVER.match(line) or (_START.fullmatch(line) and not line.startswith("runtime")) or (
                seen and line.strip() and not _STACKED.match(line)):
            break
        step += 1
    return step


def _panic(lines: Sequence[str], at: int, *, end: int) -> Iterator[Found]:
    words = [(_words(lines[at]), lines[at].partition(":")[0])]
    words += [(said[1], "panic") for line in lines[at + 1 : end] if (said := _AGAIN.fullmatch(line)) is not None]
    more = [line.strip() for line in lines[at + 1 : end] if line.startswith("[signal") or (
        line.startswith("\t") and not _SITE.match(line) and not _AGAIN.fullmatch(line))][:4]
    words = _once(words)
    frames = _frames(lines[at + 1 : end])
    test = _test(lines, at)
    errors: list[Problem] = [
        problem(run_kind(" ".join([said, *more])), said, name=name, frames=frames, test=test) for said, name in words]
    for error in chained(errors):
        yield Found(problem=error, first=at, last=end - 1)


def _words(line: str) -> str:
    return re.sub(r" \[recovered.*\]$", "", line.partition(": ")[2] or line)


def _once(words: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """A panic that a test caught and raised again is one."""
    kept: list[tuple[str, str]] = []
    for said, name in words:
        plain = re.sub(r" \[recovered.*\]$", "", said)
        if plain not in [one for one, _ in kept]:
            kept.append((plain, name))
    return kept


def _frames(lines: Sequence[str]) -> list[Place]:
    """Of the first goroutine, outermost first; one that was raised anew in a deferred call is cut to where it began."""
    frames: list[Place] = []
    symbol = ""
    begun = next((at for at, line in enumerate(lines) if line.startswith("goroutine ")), 0)
    for line in lines[begun:]:
        if frames and (line.startswith(("goroutine ", "Previous ")) or (not line.strip())):
            break
        if (site := _SITE.fullmatch(line)) is not None:
            frames.append(Place(file=site[1], line=int(site[2]), symbol=symbol or None))
        elif line.strip():
            symbol = line.strip().removeprefix("created by ").rpartition("(")[0][:200]
            if symbol.strip() == "panic":
                symbol = "panic"
    panicked = max((at for at, frame in enumerate(frames) if frame.symbol == "panic"), default=-1)
    return frames[panicked + 1 :][::-1] or frames[::-1]


def _test(lines: Sequence[str], at: int) -> str:
    return next((said[1] for line in lines[max(0, at - _ABOVE) : at][::-1]
                 if (said := _ENDED.match(line.strip())) is not None), "")


READER = Reader(name="go", language="go", read=read, examples=(
    Example(output="""\
panic: runtime error: index out of range [5] with length 3

goroutine 1 [running]:
main.pick(...)
\t/workspace/main.go:6
main.main()
\t/workspace/main.go:10 +0x1d
exit status 2
""", problems=(("index", "main.go", 6),)),
    Example(output="panicked customers: 3\n"),
))
