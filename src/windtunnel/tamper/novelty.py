"""Which lines of a file are new, so that the rest of it need not be read twice."""

from __future__ import annotations

from collections.abc import Iterable


class Novelty:
    """The lines of a new version that stand nowhere in the old one, however far they are set in."""

    def __init__(self, new: bytes, old: bytes | None) -> None:
        """Without an old version everything is new."""
        had = {line.strip() for line in (old or b"").splitlines()}
        self.lines = frozenset(
            number for number, line in enumerate(new.splitlines(), start=1) if line.strip() and line.strip() not in had
        )

    def __contains__(self, line: int) -> bool:
        """Whether a line is new."""
        return line in self.lines

    def any(self, lines: Iterable[int]) -> bool:
        """Whether one of these is."""
        return not self.lines.isdisjoint(lines)
