"""What is told while mutants are judged: one line that is written anew on a terminal, plain lines elsewhere."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from typing import IO, Self

from windtunnel.cli.render import clean
from windtunnel.core.mutation import Fate, Judged

_PAUSE_SECONDS = 0.1
_CLEAR = "\r\x1b[K"
_STEPS = 10
"""Plain lines of one run, about."""


class Progress:
    """Hears of each fate."""

    def __init__(
        self, *, seconds: float, quiet: bool = False, file: IO[str] | None = None,
        clock: Callable[[], float] = time.monotonic, words: tuple[str, str] = ("mutants", "survived"),
        patience: float = 0.0,
    ) -> None:
        """``seconds`` is the most it can take; ``quiet`` keeps plain lines away, where a machine reads.

        ``words`` for what is counted and for what nobody noticed; no plain line comes before ``patience`` seconds.
        """
        self._words, self._patience = words, patience
        self._file = file or sys.stderr
        self._live = self._file.isatty()
        self._silent = quiet and not self._live
        self._clock, self._seconds = clock, seconds
        self._begun, self._first, self._next = clock(), 0.0, 0.0
        self._survived = 0
        self._step = 0

    def __call__(self, done: int, total: int, judged: Judged) -> None:
        """One fate more."""
        now = self._clock()
        self._first = self._first or now
        self._survived += judged.fate is Fate.SURVIVED
        if self._live and (now >= self._next or done == total):
            self._next = now + _PAUSE_SECONDS
            columns = shutil.get_terminal_size().columns - 1
            print(f"{_CLEAR}{self._line(done, total, now)[:columns]}", end="", file=self._file, flush=True)
        elif self._plain(now) and done * _STEPS // total > self._step:
            self._step = done * _STEPS // total
            print(clean(self._line(done, total, now)), file=self._file, flush=True)

    def _plain(self, now: float) -> bool:
        return not self._live and not self._silent and now - self._begun >= self._patience

    def _line(self, done: int, total: int, now: float) -> str:
        counted, unnoticed = self._words
        return f"{done} of {total} {counted}, {self._survived} {unnoticed}{self._left(done, total, now)}"

    def _left(self, done: int, total: int, now: float) -> str:
        """As long as the rest takes at this pace, and never longer than there is."""
        if done >= total or now <= self._first:
            return ""
        left = min((now - self._first) / done * (total - done), max(0.0, self._begun + self._seconds - now))
        return f", about {spoken(left)} left"

    def __enter__(self) -> Self:
        """Itself."""
        if self._live:
            print("collecting and running the tests", end="", file=self._file, flush=True)
        return self

    def __exit__(self, *_: object) -> None:
        """Leave a terminal's line as it was found."""
        if self._live:
            print(_CLEAR, end="", file=self._file, flush=True)


def spoken(seconds: float) -> str:
    """A span as people say it."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
