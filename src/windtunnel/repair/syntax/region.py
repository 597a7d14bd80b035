"""The smallest part of a broken text in which the compiler finds the same fault: what is tried there is tried fast."""

from __future__ import annotations

import re
from dataclasses import dataclass

from windtunnel.repair.syntax.fault import Fault, parse_fault

_BLOCK = re.compile(r"([ \t]*)(?:async[ \t]+def|def|class|@)\b|([ \t]*)@")
_MOST_LINES = 160
_NEAR = 4
_OPEN_END = frozenset((":", ",", "(", "[", "{", "\\", "="))
_BLANK = frozenset((" ", "\t"))


@dataclass(frozen=True, slots=True)
class Region:
    """A run of whole lines with what must stand before it to be parsed alone."""

    start: int
    end: int
    """In characters of the whole text."""
    text: str
    before: str
    fault: Fault
    """In lines of the region."""

    @property
    def at(self) -> int:
        """Where the fault is, in characters of the region."""
        lines = self.text.split("\n")
        line = min(max(self.fault.line, 1), len(lines))
        return sum(len(one) + 1 for one in lines[: line - 1]) + min(self.fault.column, len(lines[line - 1]))

    def check(self, text: str) -> Fault | None:
        """The fault of the region with another text."""
        return parse_fault(text, before=self.before)


def region_of(text: str, fault: Fault) -> Region:
    """The enclosing function or class, where the fault is the same without the rest; else all of the text."""
    lines = text.split("\n")
    for first, indent in _heads(lines, fault.line - 1):
        start = max(fault.line, first + 1)
        while start < len(lines) and lines[start - 1].lstrip().startswith("@"):
            start += 1
        last = _end(lines, start, indent=len(indent))
        if last - first > _MOST_LINES:
            break
        part = "\n".join(lines[first:last])
        before = "if 1:\n" if indent else ""
        same = parse_fault(part, before=before)
        if same is not None and (same.message, same.line + first) == (
            _shifted(fault.message, first, before),
            fault.line,
        ):
            start = sum(len(one) + 1 for one in lines[:first])
            return Region(start, start + len(part), part, before, same)
    return Region(0, len(text), text, "", fault)


def _shifted(message: str, first: int, before: str) -> str:
    """The message as it would be for the part alone: some name a line."""
    more = 1 + before.count("\n")
    return re.sub(r"\bline (\d+)", lambda said: f"line {int(said[1]) - first + more}", message)


def _heads(lines: list[str], at: int) -> list[tuple[int, str]]:
    """Lines above that start a block, nearest first."""
    found: list[tuple[int, str]] = []
    own = lines[at] if at < len(lines) else ""
    width = len(own) - len(own.lstrip())
    for number in range(min(at, len(lines) - 1), max(at - _MOST_LINES, -1), -1):
        match = _BLOCK.match(lines[number])
        if match is None and (number == at or lines[number][:1] in " \t\r#)]}" or not lines[number]):
            continue
        if match is None and _stray(lines, number):
            continue
        indent = (match[1] or match[2] or "") if match is not None else ""
        if number != at and indent and len(indent) >= width:
            continue
        if not found or len(indent) <= len(found[-1][1]):
            found.append((number, indent))
    return [one for at, one in enumerate(found) if at < 3 or not one[1]][:6]  # noqa: PLR2004 -- a measure that is this place's own


def _end(lines: list[str], after: int, *, indent: int) -> int:
    """The first line after the fault that cannot be of the block."""
    for number in range(after, len(lines)):
        line = lines[number]
        if line.strip() and len(line) - len(line.lstrip()) <= indent and _BLOCK.match(line):
            return number
        outer = line.strip() and len(line) - len(line.lstrip()) < indent and line[:1] not in "#)]}"
        if outer and not _stray(lines, number):
            return number
    return len(lines)


def _stray(lines: list[str], number: int) -> bool:
    """Whether a line stands at the margin between two that do not: it is a piece of the one before it."""
    line = lines[number].rstrip()
    if _BLOCK.match(line) or line[-1:] in _OPEN_END or '"""' in line or "'''" in line:
        return False
    before = next((one for one in reversed(lines[max(number - _NEAR, 0) : number]) if one.strip()), "")
    after = next((one for one in lines[number + 1 : number + _NEAR] if one.strip()), "")
    return before[:1] in _BLANK and after[:1] in _BLANK
