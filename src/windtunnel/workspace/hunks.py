"""The hunks of a unified diff: what they say, and where in a file they fit.

Lines are bytes with their line ends. A hunk is placed where its old side stands: at the line it names, else at an
offset, else with one or two lines of its outer context left out; anything but the first is noted. Of two places that
fit equally well neither is taken.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

MOST_FUZZ = 2
_MOST_COMPARED = 1_000_000
_HEADER = re.compile(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")


class Misfit(ValueError):
    """A hunk that says something wrong, or has no place in the file; the message says what was expected and found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunk:
    """One hunk as it was written."""

    number: int
    """From 1, within its file."""
    old_start: int
    new_start: int
    lines: tuple[tuple[bytes, bytes], ...]
    """Sign (blank, minus or plus) and line with its end."""

    @property
    def old(self) -> list[bytes]:
        """What must be there."""
        return [line for sign, line in self.lines if sign != b"+"]

    @property
    def new(self) -> list[bytes]:
        """What will be there."""
        return [line for sign, line in self.lines if sign != b"-"]

    @property
    def leading(self) -> int:
        """Context lines before the first change."""
        return next((n for n, (sign, _) in enumerate(self.lines) if sign != b" "), len(self.lines))

    @property
    def trailing(self) -> int:
        """Context lines after the last change."""
        return next((n for n, (sign, _) in enumerate(reversed(self.lines)) if sign != b" "), len(self.lines))

    @property
    def start(self) -> int:
        """The index of its first old line; a hunk without old lines comes after the line it names."""
        return self.old_start - 1 if self.old else self.old_start

    def reversed(self) -> Hunk:
        """What takes it back."""
        turn = {b"+": b"-", b"-": b"+", b" ": b" "}
        lines = tuple((turn[sign], line) for sign, line in self.lines)
        return Hunk(number=self.number, old_start=self.new_start, new_start=self.old_start, lines=lines)


def is_header(line: bytes) -> bool:
    """Whether a hunk begins here."""
    return line.startswith(b"@@ -")


def read_hunk(lines: Sequence[bytes], at: int, *, number: int) -> tuple[Hunk, int]:
    """The hunk that begins at an index, and the index after it; its counts must be true."""
    header = _HEADER.match(lines[at])
    if header is None:
        raise Misfit(f"hunk {number}: not a hunk header: {told(lines[at])} (try @@ -1,3 +1,4 @@)")
    old_left, new_left = (1 if header[group] is None else int(header[group]) for group in (2, 4))
    wanted, at = (old_left, new_left), at + 1
    body: list[tuple[bytes, bytes]] = []
    while old_left > 0 or new_left > 0 or (at < len(lines) and lines[at].startswith(b"\\ ")):
        line = lines[at] if at < len(lines) else b"end of patch"
        bare = line in {b"\n", b"\r\n"}  # editors and mail strip the blank of an empty context line
        sign = b" " if bare else line[:1]
        if sign == b"\\" and body:
            body[-1] = (body[-1][0], body[-1][1].removesuffix(b"\n"))
        elif sign in {b" ", b"-", b"+"} and at < len(lines):
            body.append((sign, line if bare else line[1:]))
            old_left, new_left = old_left - (sign != b"+"), new_left - (sign != b"-")
        else:
            old_left, new_left = max(old_left, 1), -1
        at += 1
        if old_left < 0 or new_left < 0:
            raise Misfit(_lie(number, wanted, body, line))
    if at < len(lines) and _goes_on(lines, at):
        raise Misfit(_lie(number, wanted, body, lines[at]))
    hunk = Hunk(number=number, old_start=int(header[1]), new_start=int(header[3]), lines=tuple(body))
    return hunk, at


def check_order(hunks: Sequence[Hunk]) -> None:
    """Refuse hunks that by their own numbers lie over each other or run backwards."""
    for before, after in pairwise(hunks):
        if after.start < before.start + len(before.old):
            raise Misfit(f"hunk {after.number}: begins at line {after.old_start}, "
                         f"and hunk {before.number} before it reaches line {before.start + len(before.old)}")


def _lie(number: int, wanted: tuple[int, int], body: list[tuple[bytes, bytes]], line: bytes) -> str:
    old, new = sum(sign != b"+" for sign, _ in body), sum(sign != b"-" for sign, _ in body)
    return (f"hunk {number}: its header counts {wanted[0]} old and {wanted[1]} new lines; "
            f"after {old} and {new} of them stands {told(line)}")


def _goes_on(lines: Sequence[bytes], at: int) -> bool:
    """Whether lines of a hunk go on after its counts are used up; a signature or the next file's header do not."""
    line = lines[at]
    if line.rstrip(b"\r\n") in {b"--", b"-- "}:
        return False
    next_file = line.startswith(b"--- ") and at + 1 < len(lines) and lines[at + 1].startswith(b"+++ ")
    return line[:1] in {b"+", b"-", b" "} and line.strip() != b"" and not next_file


def told(line: bytes) -> str:
    """A line for a message."""
    text = repr(line.rstrip(b"\r\n").decode("utf-8", "backslashreplace"))
    return text if len(text) <= 120 else f"{text[:117]}..."  # noqa: PLR2004 -- as long as a message can bear


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a hunk fits."""

    index: int
    """Of its first old line, after ``front`` lines were left out."""
    front: int = 0
    """Context lines left out before."""
    back: int = 0
    """Context lines left out after."""


def find_place(hunk: Hunk, lines: Sequence[bytes], *, expected: int, least: int) -> Place:
    """Where the old side of a hunk stands in ``lines``, not before ``least``; raises ``Misfit``.

    Fewest left-out lines first, then the smallest offset. A hunk with less context after than before ended at the
    end of its file, so that is tried before other offsets. With context left out the place must be the only one.
    """
    if not hunk.old:
        if not least <= expected <= len(lines):
            raise Misfit(f"hunk {hunk.number}: adds after line {expected}, and the file has {len(lines)} lines")
        return Place(index=expected)
    widest = max(hunk.leading, hunk.trailing)
    for fuzz in range(MOST_FUZZ + 1):
        front, back = max(0, fuzz + hunk.leading - widest), max(0, fuzz + hunk.trailing - widest)
        part = hunk.old[front : len(hunk.old) - back]
        if fuzz and (front > hunk.leading or back > hunk.trailing or not any(line.strip() for line in part)):
            break
        index = _nearest(part, lines, expected=expected + front, least=least + front, hunk=hunk, only=fuzz > 0)
        if index is not None:
            return Place(index=index, front=front, back=back)
    raise Misfit(_difference(hunk, lines, expected))


def _nearest(
    part: list[bytes], lines: Sequence[bytes], *, expected: int, least: int, hunk: Hunk, only: bool,
) -> int | None:
    last = len(lines) - len(part)
    if least <= expected <= last and list(lines[expected : expected + len(part)]) == part:
        return expected
    fits = _fits(part, lines, least=max(0, least))
    if not fits:
        return None
    if hunk.trailing < hunk.leading and last in fits and not only:
        return last
    best = min(abs(index - expected) for index in fits)
    nearest = [index for index in fits if only or abs(index - expected) == best]
    if len(nearest) > 1:
        where = ", ".join(str(index + 1) for index in nearest[:5])
        raise Misfit(f"hunk {hunk.number}: fits equally well at lines {where}; give more context")
    return nearest[0]


def _fits(part: list[bytes], lines: Sequence[bytes], *, least: int) -> list[int]:
    """Every index from ``least`` on where the part stands."""
    size = len(part)
    starts = [index for index in range(least, len(lines) - size + 1)
              if lines[index] == part[0] and lines[index + size - 1] == part[-1]]
    if len(starts) * size > _MOST_COMPARED:
        return _search(part, lines, least=least)
    return [index for index in starts if list(lines[index : index + size]) == part]


def _search(part: list[bytes], lines: Sequence[bytes], *, least: int) -> list[int]:
    """The same in linear time (Knuth, Morris, Pratt), for files made of few different lines."""
    borders, length = [0], 0
    for line in part[1:]:
        while length and line != part[length]:
            length = borders[length - 1]
        length += line == part[length]
        borders.append(length)
    found, length = [], 0
    for index in range(least, len(lines)):
        while length and (length == len(part) or lines[index] != part[length]):
            length = borders[length - 1]
        length += lines[index] == part[length]
        if length == len(part):
            found.append(index - length + 1)
    return found


def _difference(hunk: Hunk, lines: Sequence[bytes], expected: int) -> str:
    place = max(0, expected)
    for position, line in enumerate(hunk.old, start=place):
        found = lines[position] if position < len(lines) else None
        if found != line:
            there = "the end of the file" if found is None else told(found)
            if found is not None and told(found) == told(line):
                there += " with another line end"
            return f"hunk {hunk.number}: expected {told(line)} at line {position + 1}, found {there}"
    return f"hunk {hunk.number}: overlaps the hunk before it, or comes before it in the file"
