"""What is told while a trial is under way: one line that is written anew on a terminal, plain lines elsewhere."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import IO, TYPE_CHECKING, Self

from windtunnel.api.exports.text import visible
from windtunnel.cli.trial_text import cut

if TYPE_CHECKING:
    from windtunnel.engine.course import Event

_BAD = ("failed", "error")
_PAUSE_SECONDS = 0.05
_CLEAR = "\r\x1b[K"


def progress_of(secrets: Mapping[str, Mapping[str, str]], *, quiet: bool) -> Progress:
    """On standard error, with the secrets of every step masked."""
    from windtunnel.engine.secrets import Mask  # noqa: PLC0415 -- each command loads only what it uses

    named = {f"{step}/{name}": value for step, given in secrets.items() for name, value in given.items()}
    return Progress(mask=Mask(named), quiet=quiet)


class Progress:
    """Takes events from any thread; a terminal sees at most twenty lines a second."""

    def __init__(
        self, *, mask: Callable[[str], str], quiet: bool = False, file: IO[str] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``mask`` hides secrets in what is told; ``quiet`` keeps plain lines away, where a machine reads."""
        self._file = file or sys.stderr
        self._live = self._file.isatty()
        self._silent = quiet and not self._live
        self._mask, self._clock = mask, clock
        self._lock = threading.Lock()
        self._step = "looking at the project"
        self._done = self._bad = 0
        self._next = 0.0

    def __call__(self, event: Event) -> None:
        """One event."""
        with self._lock:
            told = self._take(event)
            if self._live:
                self._draw(now=event.kind != "test")
            elif told and not self._silent:
                print(told, file=self._file, flush=True)

    def _take(self, event: Event) -> str:
        text = visible(self._mask(event.text), most=500)
        if event.kind == "step":
            text = f"{event.side}, {text}" if event.side else text
            self._step, self._done, self._bad = text, 0, 0
            return text
        if event.kind != "test":
            return text
        self._done += 1
        if event.status not in _BAD:
            return ""
        self._bad += 1
        return f"  {event.status}  {text}"

    def _draw(self, *, now: bool) -> None:
        if not now and self._clock() < self._next:
            return
        self._next = self._clock() + _PAUSE_SECONDS
        tests = f"  {self._done} done, {self._bad} failed" if self._done else ""
        columns = shutil.get_terminal_size().columns - 1 - len(tests)
        print(f"{_CLEAR}{cut(self._step, max(columns, 10))}{tests}", end="", file=self._file, flush=True)

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leave a terminal's line as it was found."""
        if self._live:
            print(_CLEAR, end="", file=self._file, flush=True)
