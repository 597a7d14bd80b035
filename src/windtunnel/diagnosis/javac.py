"""javac by itself, and as Maven and Gradle repeat it; the place is found in every locale."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from windtunnel.core.problem import Place, ProblemKind, SourceLine
from windtunnel.diagnosis.base import Example, Found, Reader, problem
from windtunnel.diagnosis.kinds_java import said_kind
from windtunnel.diagnosis.text import number

_LINE = re.compile(r"(\S[^:\n]{0,500}\.java):([0-9]{1,9}): (?:([^\W\d]{1,12}) ?: )?(.*)")
_MAVEN = re.compile(
    r"\[(ERROR|WARNING)\] (?:COMPILATION ERROR.*|(\S[^\[\n]{0,500}\.java):\[([0-9]{1,9}),([0-9]{1,9})\] (.*))")
_BARE = re.compile(r"(?:error|Fehler|エラー|错误): (.*)")
_STARTING = re.compile(r"Error: ((?:Could not find or load main class|Main method not found|Unable to).*)")
_CARET = re.compile(r"\s*\^\s*")
_DETAIL = re.compile(r"\s+\S{1,20}(?: \S{1,20})?: +")
_WARNS = ("warning", "Warnung", "警告")
_MORE = 12


def read(lines: Sequence[str]) -> Iterator[Found]:
    """Each message with the marker and the words below it."""
    told: set[tuple[str, int | None, str]] = set()
    for at, line in enumerate(lines):
        if ".java:" in line and (said := _LINE.fullmatch(line)) is not None and not line.startswith("\tat "):
            yield _message(lines, at, said=said)
        elif line.startswith("[") and (said := _MAVEN.fullmatch(line)) is not None and said[2]:
            one = _maven(lines, at, said=said)
            key = (said[2], number(said[3]), said[5])
            if key not in told:
                yield one
            told.add(key)
        elif (said := _BARE.fullmatch(line)) is not None and _is_own(said[1]):
            yield Found(problem=problem(said_kind(said[1], ""), said[1], name="error"), first=at, last=at)
        elif line.startswith("Error: ") and (said := _STARTING.fullmatch(line)) is not None:
            end = at + 1 if at + 1 < len(lines) and lines[at + 1].startswith("Caused by: ") else at
            yield Found(problem=problem(ProblemKind.CONFIGURATION, said[1], name="Error"), first=at, last=end)


def _is_own(said: str) -> bool:
    return said.startswith(("file not found", "invalid flag", "no source files", "class found on", "release version",
                            "invalid source", "invalid target", "warnings found", "Datei nicht gefunden"))


def _message(lines: Sequence[str], at: int, *, said: re.Match[str]) -> Found:
    end, caret, code = at + 1, None, at + 1
    while end < len(lines) and end <= at + _MORE and _LINE.fullmatch(lines[end]) is None and not re.match(
            r"\d+ (?:error|warning|Fehler|エラー|个错误)|(?:Note|error|Exception|Hinweis): ", lines[end]):
        if caret is None and _CARET.fullmatch(lines[end]):
            caret, code = lines[end].index("^") + 1, end - 1
        elif caret is not None and not lines[end].startswith(" "):
            break
        end += 1
    if caret is None:
        end = at + 1
    told = [*lines[at + 1 : code], *lines[code + 2 : end]]
    words = "\n".join([said[4], *(line.strip() for line in told if not _DETAIL.match(line))])
    below = "\n".join(line for line in told if _DETAIL.match(line))
    message = "\n".join(part for part in (words, below) if part)
    place = Place(file=said[1], line=number(said[2]), column=caret)
    warns = said[3] in _WARNS
    what = said_kind(words, below)
    made = problem(ProblemKind.STYLE if warns and what is ProblemKind.GENERIC else what, message,
                   name=said[4][:80] if what is ProblemKind.GENERIC else str(what), place=place,
                   severity="warning" if warns else "error")
    shown = () if caret is None else (SourceLine(number=place.line or 0, text=lines[code][:400]),)
    return Found(problem=replace(made, window=shown), first=at, last=end - 1)


def _maven(lines: Sequence[str], at: int, *, said: re.Match[str]) -> Found:
    end = at + 1
    while end < len(lines) and re.match(r"(?:\[ERROR\])? {2,}\w{1,20}: ", lines[end]):
        end += 1
    below = "\n".join(line.removeprefix("[ERROR]") for line in lines[at + 1 : end])
    place = Place(file=said[2], line=number(said[3]), column=number(said[4]))
    what = said_kind(said[5], below)
    message = "\n".join(part for part in (said[5], below) if part)
    return Found(problem=problem(what, message, name=str(what), place=place,
                                 severity="warning" if said[1] == "WARNING" else "error"), first=at, last=end - 1)


READER = Reader(name="javac", language="java", read=read, examples=(
    Example(output="""\
Cart.java:3: error: cannot find symbol
        int total = totl + 1;
                    ^
  symbol:   variable totl
  location: class Cart
1 error
""", problems=(("name", "Cart.java", 3),)),
    Example(output="Cart.java:2: Fehler: ';' erwartet\n  int a = 1\n           ^\n1 Fehler\n",
            problems=(("syntax", "Cart.java", 2),)),
    Example(output="Note: Cart.java uses unchecked or unsafe operations.\n"),
))
