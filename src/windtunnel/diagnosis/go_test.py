"""go test, as text and as events; a panic in a test is the runtime's to tell."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from windtunnel.core.problem import Place, ProblemKind
from windtunnel.diagnosis.base import Example, Found, Reader, problem
from windtunnel.diagnosis.text import number

_FAIL = re.compile(r"(\s*)--- FAIL: (\S{1,300}) \([0-9.]{1,12}s\)")
_STARTS = re.compile(r"\s*--- (?:FAIL|PASS|SKIP): |=== |FAIL\b|ok\s|PASS$|panic: |exit status|\s*panic\.go")
_SAID = re.compile(r"\s+(\S[^:\n]{0,300}\.go):([0-9]{1,9}): ?(.*)")
_TRACE = re.compile(r"\s*Error Trace:\s*(\S[^:\n]{0,500}\.go):([0-9]{1,9})")
_PACKAGE = re.compile(r"(?:FAIL|ok)\s+(\S{1,400})\s.*|FAIL\s+(\S{1,400})")
_MORE = 12


def unfolded(lines: Sequence[str]) -> list[str]:
    """Events of ``go test -json`` as the text that they tell, each test's words under its name; other lines stay."""
    told: list[str] = []
    speaking = ""
    for line in lines:
        event = _event(line) if line.startswith('{"') and '"Action":' in line else None
        if event is None:
            told.append(line)
        elif isinstance(event.get("Output"), str):
            test = str(event.get("Test") or "")
            if test and test != speaking:
                told.append(f"=== NAME  {test[:300]}")
            speaking = test
            told.append(str(event["Output"]).rstrip("\n"))
    return told


def _event(line: str) -> dict[str, object] | None:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None


def _packages(lines: Sequence[str]) -> list[str]:
    """For each line the package whose tests it belongs to: the one that the next closing line names."""
    told = [""] * len(lines)
    package = ""
    for at in range(len(lines) - 1, -1, -1):
        said = _PACKAGE.match(lines[at]) if lines[at].startswith(("FAIL\t", "ok  ")) else None
        package = (said[1] or said[2] or "") if said is not None else package
        told[at] = package
    return told


def read(lines: Sequence[str]) -> Iterator[Found]:
    """One problem for each thing that a failed test said; a test that only holds failed ones says nothing.

    Usually that stands below its mark; where every test is told of (``-v``, ``-json``), above it, under its name.
    """
    said: dict[str, list[Found]] = {}
    speaking, packages = "", _packages(lines)
    for at, line in enumerate(lines):
        if line.startswith("=== "):
            speaking = line.split()[-1]
        elif speaking and _FAIL.fullmatch(line) is None and _SAID.fullmatch(line) is not None:
            block = ["", *_block(lines, at)]
            said.setdefault(speaking, []).extend(_each(block, at - 1, test=speaking, package=packages[at]))
        if "--- FAIL: " not in line or (failed := _FAIL.fullmatch(line)) is None:
            continue
        if failed[2] in said:
            yield from said.pop(failed[2])
            speaking = ""
            continue
        speaking = ""
        end = at + 1
        while end < len(lines) and not _STARTS.match(lines[end]):
            end += 1
        if end < len(lines) and lines[end].startswith("panic: "):
            continue
        yield from _each(lines[at:end], at, test=failed[2], package=packages[at])


def _block(lines: Sequence[str], at: int) -> list[str]:
    """The line and what is indented deeper below it."""
    end = at + 1
    while end < len(lines) and end < at + _MORE and lines[end].startswith("        ") and not _STARTS.match(lines[end]):
        end += 1
    return list(lines[at:end])


def _each(block: Sequence[str], at: int, *, test: str, package: str) -> Iterator[Found]:
    """What a test said, each thing at its own place; ``at`` is the line of its first."""
    name = f"{package}/{test}".strip("/")
    told = [(index, said) for index, line in enumerate(block) if (said := _SAID.fullmatch(line)) is not None]
    for step, (index, said) in enumerate(told):
        until = told[step + 1][0] if step + 1 < len(told) else min(len(block), index + _MORE)
        message = "\n".join([said[3], *(line.strip() for line in block[index + 1 : until])]).strip()
        trace = next((found for line in block[index:until] if (found := _TRACE.match(line)) is not None), None)
        place = Place(file=trace[1], line=number(trace[2])) if trace else Place(file=said[1], line=number(said[2]))
        yield Found(problem=problem(ProblemKind.ASSERTION, message or test, name="FAIL", place=place, test=name),
                    first=at if step == 0 else at + index, last=at + until - 1)
    if not told and test.startswith("Example") and len(block) > 1:
        message = "\n".join(line for line in block[1:] if line.strip())
        yield Found(problem=problem(ProblemKind.ASSERTION, message, name="FAIL", test=name), first=at,
                    last=at + len(block) - 1)


READER = Reader(name="go test", language="go", read=read, examples=(
    Example(output="""\
--- FAIL: TestTotal (0.00s)
    cart_test.go:8: got 3, want 4
FAIL
FAIL\texample.com/shop\t0.002s
""", problems=(("assertion", "cart_test.go", 8),)),
    Example(output="ok  \texample.com/shop\t0.002s\n"),
))
