"""A file's hunks applied to its content: all of them, or none."""

from __future__ import annotations

from collections.abc import Sequence

from windtunnel.workspace.hunks import Hunk, Misfit, Place, find_place

_MOST_STRAYS = 1000
"""Each costs a search of the whole file."""
_BOM = b"\xef\xbb\xbf"


def split(content: bytes) -> list[bytes]:
    """Lines with their ends; only a line feed ends a line, so every encoding and lone returns come through."""
    lines = content.split(b"\n")
    return [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def fit(content: bytes, hunks: Sequence[Hunk]) -> tuple[bytes, list[str]]:
    """The new content, and notes on all that was not exactly where and as the hunks say; raises ``Misfit``.

    When the hunks do not fit byte for byte, line ends and a byte-order mark are looked past: the file keeps its own.
    """
    lines = split(content)
    try:
        return _Fitting(lines, lines, hunks).outcome()
    except Misfit:
        loose = [_loose(line, first=number == 0) for number, line in enumerate(lines)]
        turned = [Hunk(number=hunk.number, old_start=hunk.old_start, new_start=hunk.new_start,
                       lines=tuple((sign, _loose(line, first=hunk.old_start <= 1)) for sign, line in hunk.lines))
                  for hunk in hunks]
        if loose == lines and [hunk.lines for hunk in turned] == [hunk.lines for hunk in hunks]:
            raise
        try:
            new, notes = _Fitting(lines, loose, turned).outcome()
        except Misfit:
            new, notes = b"", []
        if not notes:
            raise
        return new, notes


def is_applied(content: bytes, hunks: Sequence[Hunk]) -> bool:
    """Whether the file already is as the hunks would leave it."""
    lines = split(content)
    try:
        _, notes = _Fitting(lines, lines, [hunk.reversed() for hunk in hunks]).outcome()
    except Misfit:
        return False
    adds = all(any(sign == b"+" for sign, _ in hunk.lines) for hunk in hunks)
    return not any("fuzz" in note for note in notes) if adds else not notes


def _loose(line: bytes, *, first: bool) -> bytes:
    line = line.removeprefix(_BOM) if first else line
    return line.rstrip(b"\r\n") + b"\n"


class _Fitting:
    """``lines`` as they are, ``keys`` as they are compared; the two differ where line ends are looked past."""

    def __init__(self, lines: list[bytes], keys: list[bytes], hunks: Sequence[Hunk]) -> None:
        self.lines, self.keys, self.hunks = lines, keys, hunks
        self.loose = keys is not lines
        self.notes: list[str] = []
        self.strays = 0
        returns = sum(line.endswith(b"\r\n") for line in lines)
        self.end = b"\r\n" if returns * 2 > len(lines) else b"\n"

    def outcome(self) -> tuple[bytes, list[str]]:
        new: list[bytes] = []
        done = drift = 0
        for hunk in self.hunks:
            expected = hunk.start + drift
            place = find_place(hunk, self.keys, expected=expected, least=done)
            drift = place.index - place.front - hunk.start
            self._note(hunk, place, offset=place.index - place.front - expected)
            new += self.lines[done : place.index]
            added, done = self._replace(hunk, place)
            new += added
        new += self.lines[done:]
        self._check_ends(new)
        if self.loose:
            self.notes.insert(0, "line ends or a byte-order mark differ from the patch; the file keeps its own")
        return b"".join(new), self.notes

    def _replace(self, hunk: Hunk, place: Place) -> tuple[list[bytes], int]:
        at, new = place.index, list[bytes]()
        bom = self.loose and at == 0 and bool(self.lines) and self.lines[0].startswith(_BOM)
        for sign, line in hunk.lines[place.front : len(hunk.lines) - place.back]:
            if sign == b"+":
                new.append(line.removesuffix(b"\n") + self.end if self.loose else line)
            else:
                new += [self.lines[at]] if sign == b" " else []
                at += 1
        if bom and new and not new[0].startswith(_BOM):
            new = [_BOM + new[0], *(line.removeprefix(_BOM) for line in new[1:])]
        if self.loose and at == len(self.lines) and new and self.lines and not self.lines[-1].endswith(b"\n"):
            new[-1] = new[-1].removesuffix(self.end)
            new[:-1] = [line if line.endswith(b"\n") else line + self.end for line in new[:-1]]
        return new, at

    def _note(self, hunk: Hunk, place: Place, *, offset: int) -> None:
        if not hunk.old and self.lines:
            self.notes.append(f"hunk {hunk.number}: has no context; placed after line {place.index} by number alone")
        if offset:
            self.strays += 1
            if self.strays > _MOST_STRAYS:
                raise Misfit(f"hunk {hunk.number}: more than {_MOST_STRAYS} hunks are not where they say")
            line = place.index - place.front + 1
            self.notes.append(f"hunk {hunk.number}: applied at line {line}, offset {offset:+d}")
        if place.front or place.back:
            self.notes.append(f"hunk {hunk.number}: fuzz {max(place.front, place.back)}, "
                              f"{place.front + place.back} context lines left out")

    def _check_ends(self, new: list[bytes]) -> None:
        """A line without an end may only be the last."""
        torn = next((n for n, line in enumerate(new[:-1]) if not line.endswith(b"\n")), None)
        if torn is not None:
            raise Misfit(f"would leave line {torn + 1} without an end in the middle of the file")
