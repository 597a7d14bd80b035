"""What is told while a fix is looked for: one line that is written anew on a terminal, plain lines elsewhere."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Callable
from typing import IO, TYPE_CHECKING, Self

from windtunnel.api.exports.text import visible
from windtunnel.cli.trial_text import cut

if TYPE_CHECKING:
    from windtunnel.engine.course import Event

_PAUSE_SECONDS = 0.05
_CLEAR = "\r\x1b[K"
_MOST_PLAIN = 40
"""Attempts that are told one by one where no terminal is; after them, every hundredth and those that helped."""
_EVERY = 100


class Progress:
    """Hears of steps, notes and attempts; a terminal sees at most twenty lines a second."""

    def __init__(
        self, *, quiet: bool = False, file: IO[str] | None = None, clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``quiet`` keeps plain lines away, where a machine reads."""
        self._file = file or sys.stderr
        self._live = self._file.isatty()
        self._silent = quiet and not self._live
        self._clock, self._lock, self._next = clock, threading.Lock(), 0.0

    def __call__(self, event: Event) -> None:
        """One event."""
        with self._lock:
            if event.kind == "attempt":
                self._attempt(event)
            elif event.kind in ("step", "note"):
                self._line(visible(event.text, most=300))

    def _attempt(self, event: Event) -> None:
        line = f"{event.side}. {visible(event.text, most=200)}: {visible(event.status, most=80)}"
        helped = event.status.startswith("fixes")
        if self._live and not helped:
            if self._clock() >= self._next:
                self._next = self._clock() + _PAUSE_SECONDS
                columns = shutil.get_terminal_size().columns - 1
                print(f"{_CLEAR}{cut(line, max(columns, 10))}", end="", file=self._file, flush=True)
        elif self._live or helped or int(event.side or 0) <= _MOST_PLAIN or int(event.side or 0) % _EVERY == 0:
            self._line(line)

    def _line(self, text: str) -> None:
        if not self._silent:
            print(f"{_CLEAR if self._live else ''}{text}", file=self._file, flush=True)

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leave a terminal's line as it was found."""
        if self._live:
            print(_CLEAR, end="", file=self._file, flush=True)
