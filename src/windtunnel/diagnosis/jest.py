"""jest and vitest: one section for each test that failed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from windtunnel.core.problem import Place, Problem, ProblemKind
from windtunnel.diagnosis.base import Example, Found, Reader, chained, patterns, problem
from windtunnel.diagnosis.base import kind_of as by_words
from windtunnel.diagnosis.kinds_javascript import kind
from windtunnel.diagnosis.node import frame
from windtunnel.diagnosis.text import number

_BULLET = "  \N{BLACK CIRCLE} "
_FILE = re.compile(r" ?(?:FAIL|PASS) {1,2}(?:\S{1,80} )??(\S{1,400}\.[cm]?[jt]sx?)\b.{0,80}")
_END = re.compile(r"(?:Test Suites|Tests|Snapshots|Test Files): |Summary of all failing tests| ?(?:FAIL|PASS) ")
_NAMED = re.compile(
    r"(?:\[?([A-Za-z_][\w$.]{0,80}(?:Error|Exception|Violation))(?: \[\w+\])?\]?|(thrown|Error))(?:: (.*))?")
_BABEL = re.compile(r"(?:.{0,40}?)(/\S{1,600}\.[cm]?[jt]sx?): (.{1,600}?) ?\(([0-9]{1,9}):([0-9]{1,9})\)")
_CODE_FRAME = re.compile(r"\s*>\s*([0-9]{1,9}) \|")
_GUTTER = re.compile(r"\s*>?\s*[0-9]{1,9} \||\s*\| *\^*")
_FROM = re.compile(r"Cannot find module '.{1,400}?' from '(.{1,400}?)'")
_WORDS = patterns(
    (r"^expect\(|^Expected |^\s*expect[.(]|^Snapshot|toMatchSnapshot|assertion", ProblemKind.ASSERTION),
    (r"Exceeded timeout|timed? ?out", ProblemKind.TIMEOUT),
    (r"Cannot find module|Failed to resolve import|Could not locate module|Cannot find package", ProblemKind.IMPORT),
    (r"must contain at least one test|Validation Error|Configuration|configuration|Preset .* not found",
     ProblemKind.CONFIGURATION),
    (r"encountered an unexpected token", ProblemKind.SYNTAX),
    (r"worker process .*crashed|jest worker process|process was terminated|SIG[A-Z]{3,5}", ProblemKind.CRASH),
)
_NO_TESTS = ("Console", "Deprecation Warning", "Deprecation Warning:")


def _sections(lines: Sequence[str]) -> Iterator[tuple[int, int, str, str]]:
    """(first, end, file, title)."""
    file, opened, title = "", -1, ""
    for at, line in enumerate([*lines, "Tests: "]):
        named = _FILE.fullmatch(line) if line.lstrip().startswith(("FAIL ", "PASS ")) else None
        starts = line.startswith((_BULLET, _BULLET.lstrip()))
        if opened >= 0 and (starts or _END.match(line)):
            yield opened, at, file, title
            opened = -1
        file = named[1] if named is not None else file
        if starts:
            opened, title = at, line.strip().removeprefix("\N{BLACK CIRCLE} ").strip()


def _parts(body: Sequence[str]) -> list[list[str]]:
    """The error and its causes, which jest prints below it."""
    parts: list[list[str]] = [[]]
    for line in body:
        if line.strip().startswith("Cause:"):
            parts.append([])
            line = line.replace("Cause:", "", 1)  # noqa: PLW2901 -- the rest of the line is the cause's own
        parts[-1].append(line)
    return parts


def _problem(part: Sequence[str], file: str) -> Problem:
    frames = [place for line in part if (place := frame(line)) is not None]
    words = [line.strip() for line in part if line.strip() and frame(line) is None and not _GUTTER.match(line)]
    first = words[0] if words else "failed without a word"
    if first.startswith("Jest encountered an unexpected token"):
        first = next((line for line in words if re.match(r"(?:\w+Error: )", line)), first)
    named = _NAMED.fullmatch(first)
    name = (named[1] or named[2]) if named is not None else "Error"
    message = (named[3] or "") if named is not None else first
    syntax = _BABEL.match(message)
    if syntax is not None:
        place = Place(file=syntax[1], line=number(syntax[3]), column=(number(syntax[4]) or 0) + 1)
        said = syntax[2].strip()
        return problem(kind("SyntaxError", said, runs=False), said, name="SyntaxError", frames=[place])
    whole = "\n".join([message, *words[words.index(first) + 1 if first in words else 1 :]])
    words_count = named is None or name in ("Error", "thrown")
    usual = ProblemKind.UNHANDLED if name == "thrown" else kind(name, message, runs=bool(frames))
    what = (by_words(message, _WORDS) if words_count else None) or usual
    return problem(what, whole, name=name, frames=[*_from(message, part, file=file), *frames[::-1]])


def _from(message: str, part: Sequence[str], *, file: str) -> list[Place]:
    """Where a module is missed, where the stack has no place of the project; the marked line of the code frame."""
    marked = next((number(said[1]) for line in part if (said := _CODE_FRAME.match(line)) is not None), None)
    missed = _FROM.search(message)
    if missed is not None:
        return [Place(file=missed[1], line=marked)]
    alone = not any(frame(line) for line in part)
    return [Place(file=file, line=marked if alone else None)] if file else []


def read(lines: Sequence[str]) -> Iterator[Found]:
    """Every section once, though jest repeats them all where there are many."""
    seen: set[tuple[str, str]] = set()
    for first, end, file, title in _sections(lines):
        body = lines[first + 1 : end]
        if title in _NO_TESTS or not any(line.strip() for line in body):
            continue
        again = (file, title) in seen
        seen.add((file, title))
        test = file if title == "Test suite failed to run" else " > ".join(
            part for part in (file, *title.split(" \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} ")) if part)
        for error in chained([_problem(part, file) for part in _parts(body)][::-1]) if not again else []:
            yield Found(problem=replace(error, test=test), first=first, last=end - 1)


READER = Reader(name="jest", language="javascript", read=read, examples=(
    Example(output=f"""\
FAIL ./cart.test.js
{_BULLET}cart \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} adds

    expect(received).toBe(expected) // Object.is equality

    Expected: 4
    Received: 3

      1 | const total = require("./cart");
    > 2 | test("adds", () => {{ expect(total(1, 2)).toBe(4); }});
        |                                         ^

      at Object.toBe (cart.test.js:2:41)

Tests:       1 failed, 1 total
""", problems=(("assertion", "cart.test.js", 2),)),
    Example(output="PASS ./cart.test.js\nTests:       1 passed, 1 total\n"),
))
