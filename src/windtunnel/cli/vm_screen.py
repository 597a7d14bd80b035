"""What a machine says, shown as it comes: harmless on a terminal, byte for byte elsewhere; and that it still runs."""

from __future__ import annotations

import codecs
import sys
from typing import Self, TextIO

_CLEAR = "\r\x1b[K"
_KEPT = "\n\t"


class Harmless:
    """Bytes of a serial line as text that a terminal cannot obey.

    Line ends and tabs stay, carriage returns go, so that no line can be written over; every other character that
    cannot be seen, escapes and reversed writing among them, becomes a replacement character.
    """

    def __init__(self) -> None:
        """Of one line, which may be cut anywhere."""
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")

    def __call__(self, data: bytes) -> str:
        """The next piece."""
        text = self._decoder.decode(data).replace("\r", "")
        return "".join(char if char.isprintable() or char in _KEPT else "\N{REPLACEMENT CHARACTER}" for char in text)


class Screen:
    """Standard output for what is said, standard error for the wait."""

    def __init__(self, *, silent: bool, out: TextIO | None = None, waiting: TextIO | None = None) -> None:
        """``silent`` shows nothing of what is said, only that it is waited for."""
        self._out, self._waiting = out or sys.stdout, waiting or sys.stderr
        self._silent = silent
        self._harmless = Harmless() if self._out.isatty() else None
        self._in_line = self._drawn = False
        self._count = 0

    def say(self, data: bytes) -> None:
        """What the machine said now."""
        self._count += len(data)
        if self._silent:
            return
        self._clear()
        if self._harmless is None:
            self._out.buffer.write(data)
        elif text := self._harmless(data):
            self._out.write(text)
            self._in_line = not text.endswith("\n")
        self._out.flush()

    def wait(self, seconds: float) -> None:
        """Nothing was said for a second; a person who waits sees the time pass, where no line is being written."""
        if self._waiting.isatty() and not self._in_line:
            print(f"{_CLEAR}{seconds:.0f} s, {self._count} bytes said", end="", file=self._waiting, flush=True)
            self._drawn = True

    def _clear(self) -> None:
        if self._drawn:
            print(_CLEAR, end="", file=self._waiting, flush=True)
            self._drawn = False

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leave a terminal at the start of a line."""
        self._clear()
        if self._in_line:
            self._out.write("\n")
            self._out.flush()
