"""The files of a mutation run as people read them, and each mutant as a diff of whole lines.

What holds: a diff is made of the file only where the file still holds, at the place of the mutant, what was mutated;
elsewhere it shows the two pieces alone. No diff is longer than a screen or two, whatever the file is.
"""

from __future__ import annotations

import codecs
import re
import tokenize
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from windtunnel.core.mutation import Judged, Mutant, MutationResult

_NEWLINE = re.compile(r"\r\n?|\n")
_PYTHON = (".py", ".pyi", ".pyw")
_MOST_HEAD = 1024
_MOST_COLUMN = 20_000
"""Beyond it a line is no longer one that people read."""
_AROUND = 2
_MOST_ROWS, _MOST_CHANGED, _MOST_BESIDE = 24, 400, 160


class Row(NamedTuple):
    """One line of a diff; what differs in it stands in the middle."""

    sign: str
    """``-``, ``+``, a space for what surrounds it, ``…`` for lines left out."""
    before: str
    changed: str
    after: str

    @property
    def text(self) -> str:
        """The line without its sign."""
        return f"{self.before}{self.changed}{self.after}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """One file."""

    path: str
    content: bytes | None
    """None where the file was not given."""
    encoding: str
    lines: tuple[str, ...]
    """Without their ends."""

    @property
    def written(self) -> tuple[str, ...]:
        """The lines without the empty one that a last line end makes."""
        return self.lines[:-1] if self.lines and not self.lines[-1] else self.lines

    def holds(self, mutant: Mutant) -> bool:
        """Whether the file is still the one that was mutated, as far as this mutant can tell."""
        if self.content is None or not 1 <= mutant.line <= mutant.end_line <= len(self.lines):
            return False
        try:
            wanted = mutant.original.encode(self.encoding)
        except (UnicodeError, LookupError):
            return False
        near = max(mutant.column, mutant.end_column) <= _MOST_COLUMN
        return near and self.content[mutant.start:mutant.end] == wanted

    def place(self, line: int, column: int) -> int:
        """A column in characters, from one in bytes of UTF-8; both from 0."""
        if not 1 <= line <= len(self.lines) or self.lines[line - 1].isascii():
            return max(column, 0)
        text = self.lines[line - 1][:_MOST_COLUMN]
        return len(text.encode("utf-8", "surrogatepass")[:max(column, 0)].decode("utf-8", "ignore"))


def sheets_of(result: MutationResult, sources: Mapping[str, bytes]) -> dict[str, Sheet]:
    """Every file that has a mutant, by path, in order."""
    return {path: sheet_of(path, sources.get(path)) for path in sorted({one.mutant.path for one in result.judged})}


def by_path(judged: Iterable[Judged]) -> dict[str, list[Judged]]:
    """The mutants of each file, as they stand in it."""
    found: dict[str, list[Judged]] = {}
    for one in sorted(judged, key=lambda one: (one.mutant.path, one.mutant.line, one.mutant.column, one.mutant.id)):
        found.setdefault(one.mutant.path, []).append(one)
    return found


def sheet_of(path: str, content: bytes | None) -> Sheet:
    """The file read in the encoding that it declares; what is no text in it is shown as such."""
    if content is None:
        return Sheet(path=path, content=None, encoding="utf-8", lines=())
    encoding = _encoding(content) if path.endswith(_PYTHON) else "utf-8"
    body = content.removeprefix(codecs.BOM_UTF8)
    try:
        text = body.decode(encoding, "replace")
    except (UnicodeError, LookupError):
        encoding, text = "utf-8", body.decode("utf-8", "replace")
    return Sheet(path=path, content=content, encoding=encoding, lines=tuple(_NEWLINE.split(text)))


def _encoding(content: bytes) -> str:
    lines = iter(content[:_MOST_HEAD].splitlines(keepends=True)[:2])
    try:
        declared, _ = tokenize.detect_encoding(lambda: next(lines, b""))
    except (SyntaxError, UnicodeError, LookupError):
        return "utf-8"
    return "utf-8" if declared == "utf-8-sig" else declared


def diff(mutant: Mutant, sheet: Sheet) -> list[Row]:
    """What the mutant changes, with what stands around it."""
    head = tail = ""
    if known := sheet.holds(mutant):
        head = sheet.lines[mutant.line - 1][:sheet.place(mutant.line, mutant.column)]
        end = sheet.place(mutant.end_line, mutant.end_column)
        tail = sheet.lines[mutant.end_line - 1][end:end + _MOST_BESIDE + 1]
    old, new = _rows("-", head, mutant.original, tail), _rows("+", head, mutant.replacement, tail)
    first, last = _shared(old, new)
    changed = [*_few(old[first:len(old) - last]), *_few(new[first:len(new) - last])]
    if not known:
        return [_short(row) for row in changed]
    above, below = _around(sheet, mutant.line - 1 + first, mutant.end_line - last)
    return [_short(row) for row in (*above, *changed, *below)]


def _rows(sign: str, head: str, middle: str, tail: str) -> list[Row]:
    pieces = _NEWLINE.split(middle)
    return [Row(sign, head if at == 0 else "", piece, tail if at == len(pieces) - 1 else "")
            for at, piece in enumerate(pieces)]


def _shared(old: list[Row], new: list[Row]) -> tuple[int, int]:
    """How many lines are the same at the beginning and at the end; one is left on each side."""
    most = min(len(old), len(new)) - 1
    first = next((at for at in range(most) if old[at].text != new[at].text), most)
    last = next((at for at in range(most - first) if old[-1 - at].text != new[-1 - at].text), most - first)
    return first, last


def _few(rows: list[Row]) -> list[Row]:
    left = len(rows) - _MOST_ROWS
    return rows if left <= 0 else [*rows[:_MOST_ROWS], Row("…", f"{left} more lines", "", "")]


def _around(sheet: Sheet, begin: int, end: int) -> tuple[list[Row], list[Row]]:
    """Up to two lines on each side, without empty ones at the edges."""
    above, below = list(sheet.lines[max(begin - _AROUND, 0):begin]), list(sheet.lines[end:end + _AROUND])
    while above and not above[0].strip():
        above.pop(0)
    while below and not below[-1].strip():
        below.pop()
    return [Row(" ", line, "", "") for line in above], [Row(" ", line, "", "") for line in below]


def _short(row: Row) -> Row:
    """A long line around what differs is cut; where nothing differs, its beginning stays."""
    before, changed, after = row.before, row.changed, row.after
    if len(before) > _MOST_BESIDE:
        before = f"…{before[-_MOST_BESIDE:]}" if changed or after else f"{before[:_MOST_BESIDE]}…"
    if len(changed) > _MOST_CHANGED:
        changed = f"{changed[:_MOST_CHANGED]}…"
    return Row(row.sign, before, changed, after if len(after) <= _MOST_BESIDE else f"{after[:_MOST_BESIDE]}…")


def diff_text(mutant: Mutant, sheet: Sheet) -> str:
    """The diff as lines of text."""
    return "\n".join(f"{row.sign}{row.text}" for row in diff(mutant, sheet))
