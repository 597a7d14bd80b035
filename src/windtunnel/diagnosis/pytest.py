"""pytest: its sections, in the long and the short style, and the summary where there is nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from windtunnel.core.problem import Place, Problem, ProblemKind
from windtunnel.diagnosis import python
from windtunnel.diagnosis.base import Example, Found, Reader, chained, moved, problem
from windtunnel.diagnosis.kinds_python import kind

_SECTION = re.compile(r"_{3,} (\S.{0,400}?) _{3,}|_ (\S.{0,400}?) _")
_RULE = re.compile(r"={3,} .{1,200} ={3,}|={10,}")
_CAPTURED = re.compile(r"-{3,} Captured .{1,60} -{3,}|-{3,} (?:live log|generated xml).{0,80}-{3,}")
_WHERE = re.compile(r"(\S[^:\n]{0,500}\.\w{1,8}):([0-9]{1,9}): ?(?:in (.{1,200})|([\w.]{1,200})|)")
_SAID = re.compile(r"E {1,200}(\S.*|)")
_SYNTAX = re.compile(r'E {1,12}File "([^"]{1,1000})", line ([0-9]{1,9})')
_RAISED = re.compile(r"((?:\w{1,100}\.|<locals>\.){0,12}[A-Za-z_]\w{0,100})(?:: (.*))?")
_FIXTURE = re.compile(r"file (.{1,1000}), line ([0-9]{1,9})")
_SUMMARY = re.compile(r"(FAILED|ERROR) (\S.{0,600}?)(?: - (.*))?")
_CONFTEST = re.compile(r"(?:E {3})?ImportError while loading conftest '(.{1,1000})'\.")
_LINKS = (
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
)
_USAGE = re.compile(r"ERROR: (?:file or directory not found|not found|usage|unknown|.{0,200}unrecognized arguments|"
                    r".{0,200}(?:pytest|plugin|config|\.ini|\.toml))")
_LINED = re.compile(r"(/\S[^:\n]{0,500}\.py):([0-9]{1,9}): (.*)")
_MOST_WORDS = 12
MOST_IDS = 2000
"""Tests of a summary that are looked at."""


@dataclass(slots=True)
class _Part:
    """One exception of a section: its frames and its words."""

    frames: list[Place] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    named: str = ""
    """The exception as the last place names it."""
    syntax: Place | None = None


def _parts(section: Sequence[str]) -> list[_Part]:
    parts = [_Part()]
    for line in section:
        part = parts[-1]
        if line.strip() in _LINKS:
            parts.append(_Part())
        elif (syntax := _SYNTAX.fullmatch(line)) is not None:
            part.syntax = Place(file=syntax[1], line=int(syntax[2]))
        elif line.startswith("E ") and (said := _SAID.fullmatch(line)) is not None:
            part.said.append(said[1])
        elif (where := _WHERE.fullmatch(line)) is not None:
            part.frames.append(Place(file=where[1], line=int(where[2]), symbol=where[3]))
            part.named = where[4] or part.named
        elif (where := _FIXTURE.fullmatch(line)) is not None:
            part.frames.append(Place(file=where[1], line=int(where[2])))
    return [part for part in parts if part.said or part.frames]


def _problem(part: _Part) -> Problem:
    name, message = _words(part)
    if part.syntax is not None:
        return problem(kind(name, message), message, name=name, frames=[*part.frames, part.syntax])
    if message.startswith("fixture '") and "not found" in message:
        return problem(ProblemKind.NAME, message, name="fixture", frames=part.frames)
    return problem(kind(name, message.partition("\n")[0]), message, name=name, frames=part.frames)


def _words(part: _Part) -> tuple[str, str]:
    """The exception's name and message; an ``assert`` tells no name."""
    at = _naming(part)
    said = part.said[at : at + _MOST_WORDS]
    first = said[0] if said else ""
    raised = _RAISED.fullmatch(first)
    if raised is not None and (raised[2] is not None or raised[1] == part.named) and not first.startswith("assert "):
        return raised[1], "\n".join([raised[2] or "", *said[1:]])
    return part.named or ("AssertionError" if first.startswith("assert") else ""), "\n".join(said)


def _naming(part: _Part) -> int:
    """Where its words begin: a syntax error is named below its code."""
    if part.syntax is None:
        return 0
    return next((at for at, line in enumerate(part.said) if re.match(r"\w{0,60}Error: ", line)), 0)


def _bounds(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """(first, end, title) of every section."""
    inside, opened, title = False, -1, ""
    for at, line in enumerate([*lines, "=" * 10]):
        ruled = line.startswith("===") and _RULE.fullmatch(line) is not None
        head = _SECTION.fullmatch(line) if inside and line.startswith("_") and not ruled else None
        if opened >= 0 and (ruled or head is not None):
            yield opened, at, title
            opened = -1
        if ruled:
            inside = " FAILURES " in line or " ERRORS " in line
        elif head is not None and "_ _ _" not in line:
            opened, title = at, head[1] or head[2]


def _ids(lines: Sequence[str]) -> list[tuple[str, str, int]]:
    """(id, what was said, line) of the short summary; a bounded number, since each is looked for in what is above."""
    told = [(said[2], said[3] or "", at) for at, line in enumerate(lines) if line.startswith(("FAILED ", "ERROR "))
            and (said := _SUMMARY.fullmatch(line)) is not None]
    return told[:MOST_IDS]


def _id(title: str, ids: Sequence[tuple[str, str, int]], *, frames: Sequence[Place]) -> str:
    name = re.sub(r"^ERROR (?:at (?:setup|teardown) of|collecting) ", "", title)
    tail = name.replace(".", "::") if "[" not in name else (
        name.partition("[")[0].replace(".", "::") + "[" + name.partition("[")[2])
    matching = [one for one, _, _ in ids if one == name or one.endswith((f"::{tail}", f"::{name}"))]
    if len(matching) == 1 or not frames:
        return matching[0] if matching else name
    return next((one for one in matching if frames[0].file.endswith(one.partition("::")[0])), name)


def _section(lines: Sequence[str], bounds: tuple[int, int, str], *, ids: Sequence[tuple[str, str, int]]) -> list[Found]:
    first, end, title = bounds
    section = lines[first + 1 : end]
    cut = next((at for at, line in enumerate(section) if _CAPTURED.fullmatch(line)), len(section))
    section = section[:cut]
    if any(line.startswith("Traceback (most") for line in section):
        native = python.traces(section)
        test = _id(title, ids, frames=native[0].problem.frames[-1:] if native else ())
        told = [Found(problem=one.problem, first=0, last=end - first - 1) for one in native]
        return python.with_test(moved(told, first), test)
    parts = _parts(section)
    test = _id(title, ids, frames=parts[0].frames if parts else ())
    errors = chained([_problem(part) for part in parts]) or [problem(
        ProblemKind.ASSERTION, "\n".join(line for line in section if line.strip())[:500] or title, name=title)]
    return python.with_test([Found(problem=error, first=first, last=end - 1) for error in errors], test)


def _conftest(lines: Sequence[str]) -> Iterator[Found]:
    for at, line in enumerate(lines):
        if "while loading conftest" in line and _CONFTEST.fullmatch(line) is not None:
            end = next((step for step in range(at + 1, len(lines)) if not lines[step].strip()), len(lines))
            for error in chained([_problem(part) for part in _parts(lines[at + 1 : end])]):
                yield Found(problem=error, first=at, last=end - 1)
        elif line.startswith("ERROR: ") and _USAGE.match(line):
            yield Found(problem=problem(ProblemKind.CONFIGURATION, line[7:], name="usage"), first=at, last=at)


def read(lines: Sequence[str]) -> Iterator[Found]:
    """Each section; for tests that only the summary names, what that says."""
    if not any(line.startswith(("====", "FAILED ", "ERROR", "ImportError while loading", "E   ")) for line in lines):
        return
    ids = _ids(lines)
    seen: set[str] = set()
    for bounds in _bounds(lines):
        for one in _section(lines, bounds, ids=ids):
            seen.add(one.problem.test)
            yield one
    if any("= FAILURES =" in line or "= ERRORS =" in line or " short test summary " in line
           or "loading conftest" in line or line.startswith("ERROR: ") for line in lines):
        yield from _conftest(lines)
        yield from _summary(ids, lines, seen=seen)


def _summary(ids: Sequence[tuple[str, str, int]], lines: Sequence[str], *, seen: set[str]) -> Iterator[Found]:
    lined = [found for line in lines if line[:1] == "/" and (found := _LINED.fullmatch(line)) is not None][:MOST_IDS]
    for id_, said, at in ids:
        if id_ in seen or (not said and "::" not in id_):
            continue
        raised = _RAISED.fullmatch(said)
        name = raised[1] if raised is not None and raised[1] != "assert" else "AssertionError"
        place = _lined(id_.partition("::")[0], said, lines=lined)
        what = kind(name, said)
        yield Found(problem=problem(what, said or id_, name=name, place=place, test=id_), first=at, last=at)


def _lined(file: str, said: str, *, lines: Sequence[re.Match[str]]) -> Place | None:
    """The place of a test that only the summary names: ``--tb=line`` tells it on a line of its own."""
    words = said.removesuffix("...")[:60]
    where = next((one for one in lines if words and words in one[3]), None)
    if where is not None:
        return Place(file=where[1], line=int(where[2]))
    return Place(file=file) if "." in file else None


READER = Reader(name="pytest", language="python", read=read, examples=(
    Example(output="""\
=================================== FAILURES ===================================
__________________________________ test_total __________________________________

    def test_total():
>       assert total([1, 2]) == 4
E       assert 3 == 4
E        +  where 3 = total([1, 2])

tests/test_cart.py:5: AssertionError
=========================== short test summary info ============================
FAILED tests/test_cart.py::test_total - assert 3 == 4
============================== 1 failed in 0.02s ===============================
""", problems=(("assertion", "tests/test_cart.py", 5),)),
    Example(output="============================== 2 passed in 0.02s ===============================\n"),
))
