"""What is told while a run of many parts is under way: how far it is, what broke, how long the rest may take."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Callable
from typing import IO, Self

from windtunnel.cli.heat import fit
from windtunnel.cli.mutate_progress import spoken
from windtunnel.cli.render import clean

_PAUSE_SECONDS = 0.1
_CLEAR = "\r\x1b[K"
_STEPS = 10
"""Plain lines of one run, about."""
_BAR = 20


class RunProgress:
    """Hears of each part that is done, from any thread."""

    def __init__(
        self, total: int, *, words: tuple[str, str] = ("section runs", "broken"), quiet: bool = False,
        file: IO[str] | None = None, clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``words`` for what is counted and for those that count as bad; ``quiet`` where a machine reads."""
        self._total, self._words = total, words
        self._file = file or sys.stderr
        self._live = self._file.isatty()
        self._silent = quiet and not self._live
        self._clock, self._lock = clock, threading.Lock()
        self._begun, self._next = clock(), 0.0
        self._done = self._bad = self._step = 0

    def __call__(self, name: str = "", *, bad: bool = False) -> None:
        """One part more."""
        with self._lock:
            self._done += 1
            self._bad += bad
            now = self._clock()
            if self._live and (now >= self._next or self._done >= self._total):
                self._next = now + _PAUSE_SECONDS
                self._draw(name, now)
            elif not self._live and not self._silent and self._done * _STEPS // max(1, self._total) > self._step:
                self._step = self._done * _STEPS // max(1, self._total)
                print(self._told(now), file=self._file, flush=True)

    def _draw(self, name: str, now: float) -> None:
        full = min(_BAR, self._done * _BAR // max(1, self._total))
        line = f"{'█' * full}{'░' * (_BAR - full)} {self._told(now)}  {clean(name)}"
        shown = fit(line, shutil.get_terminal_size().columns - 1).rstrip()
        print(f"{_CLEAR}{shown}", end="", file=self._file, flush=True)

    def _told(self, now: float) -> str:
        counted, bad = self._words
        return f"{self._done} of {self._total} {counted}, {self._bad} {bad}{self._left(now)}"

    def _left(self, now: float) -> str:
        """``elapsed / done * left``: as long as the rest takes at the pace so far."""
        left, taken = self._total - self._done, now - self._begun
        return f", about {spoken(taken / self._done * left)} left" if left > 0 and taken > 0 else ""

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leave a terminal's line as it was found."""
        if self._live:
            print(_CLEAR, end="", file=self._file, flush=True)
