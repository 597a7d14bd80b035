"""go build, go vet and gofmt: ``file:line:column: words``, and what the go command itself refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from windtunnel.core.problem import Place, ProblemKind
from windtunnel.diagnosis.base import Example, Found, Reader, problem
from windtunnel.diagnosis.kinds_go import build_kind
from windtunnel.diagnosis.text import number

_LINE = re.compile(r"(?:vet: )?(\S[^:\n]{0,500}\.(?:go|mod|work|s)):([0-9]{1,9})(?::([0-9]{1,9}))?: (.*)")
_COMMAND = re.compile(r"go: (?!downloading|finding|found|added|upgraded|creating|to add|extracting|removed)(.*)")
_PACKAGE = re.compile(r"# (\S{1,400})(?: \[(\S{1,400})\])?")
_LINKER = re.compile(r"(function main is undeclared in the main package|relocation target .* not defined)")
_CYCLE = re.compile(r"package (\S{1,300})")
_WHOLE = re.compile(r"found packages .{1,300} in .{1,300}|no Go files in .{1,300}|cannot find main module.{0,200}|"
                    r"go\.mod file not found.{0,200}|.{1,80}: go\.mod file not found.{0,200}")


def read(lines: Sequence[str]) -> Iterator[Found]:
    """Each message with the lines indented below it; the folder of its package, where one was told."""
    for at, line in enumerate(lines):
        said = _LINE.fullmatch(line) if ".go:" in line or ".mod:" in line or ".work:" in line or ".s:" in line else None
        if said is not None and said[4] != "too many errors" and not line.startswith(("\t", " ")):
            yield _message(lines, at, said=said)
        elif line.startswith("go: ") and (command := _COMMAND.fullmatch(line)) is not None:
            yield from _refused(lines, at, said=command[1])
        elif "main package" in line and (linker := _LINKER.search(line)) is not None:
            yield Found(problem=problem(ProblemKind.NAME, linker[1], name="link"), first=at, last=at)
        elif _CYCLE.fullmatch(line) and at + 1 < len(lines) and lines[at + 1].startswith("\timports "):
            rest = range(at + 1, len(lines))
            end = next((step for step in rest if not lines[step].startswith("\timports ")), len(lines))
            if "import cycle" in lines[end - 1]:
                yield Found(problem=problem(ProblemKind.IMPORT, "\n".join(lines[at:end]), name="import cycle"),
                            first=at, last=end - 1)
        elif _WHOLE.fullmatch(line):
            yield Found(problem=problem(build_kind(line), line, name="go"), first=at, last=at)


def _message(lines: Sequence[str], at: int, *, said: re.Match[str]) -> Found:
    end = at + 1
    while end < len(lines) and end < at + 12 and lines[end].startswith("\t"):
        end += 1
    message = "\n".join([said[4], *(line.strip() for line in lines[at + 1 : end])])
    place = Place(file=said[1], line=number(said[2]), column=number(said[3]))
    what = build_kind(message) if said[1].endswith((".go", ".s")) else ProblemKind.CONFIGURATION
    return Found(problem=problem(what, message, name=_name(said[4]), place=place), first=at, last=end - 1)


def _name(said: str) -> str:
    """Go has no codes; the words without names stand for one."""
    return re.sub(r"[\"'`(].*|\b\S*[.\[\]0-9]\S*\b", "", said).strip()[:60] or "go"


def _refused(lines: Sequence[str], at: int, *, said: str) -> Iterator[Found]:
    """A manifest with its place on the next line has its own problem there."""
    placed = at + 1 < len(lines) and _LINE.fullmatch(lines[at + 1]) is not None
    if said.startswith("errors parsing") or (placed and said.endswith(":")):
        return
    manifest = _LINE.fullmatch(said)
    place = Place(file=manifest[1], line=number(manifest[2])) if manifest is not None else None
    what = build_kind(said)
    if what in (ProblemKind.GENERIC, ProblemKind.SYNTAX):
        what = ProblemKind.CONFIGURATION
    yield Found(problem=problem(what, said, name="go", place=place), first=at, last=at)


READER = Reader(name="go build", language="go", read=read, examples=(
    Example(output="# example.com/shop\n./cart.go:5:2: total declared but not used\n",
            problems=(("unused", "cart.go", 5),)),
    Example(output="go: downloading example.com/shop v1.0.0\n"),
))
