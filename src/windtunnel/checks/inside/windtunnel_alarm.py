"""Ends a test that goes on and on, as a failure of that test alone, so that the others still run.

A limit is of the processor's seconds, and ten times as many of the clock's for a test that waits. After each test that
was ended the next ones get half as long, down to half a second: where one hangs, others mostly do. What does not hold:
a test can turn the alarm off, or never come back from a library; the limits of the whole run are the wall behind this.
Valid from Python 3.8 on.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from typing import Any, Iterator  # noqa: UP035 -- for Python 3.8

WAITING_TIMES = 10
LEAST_SECONDS = 0.5
SIGNALS = (signal.SIGPROF, signal.SIGALRM)


class Overdue(BaseException):
    """Not an ``Exception``, which a test may be about to catch."""


class Alarm:
    """The limit of each test of one run."""

    def __init__(self, seconds: float | None) -> None:
        """None sets no limit."""
        self.seconds = seconds

    @contextlib.contextmanager
    def around(self) -> Iterator[None]:
        """While a part of a test runs; nothing where the test's own program uses these signals."""
        if self.seconds is None or threading.current_thread() is not threading.main_thread() or any(
                signal.getsignal(one) is not signal.SIG_DFL for one in SIGNALS):
            yield
            return
        try:
            for one in SIGNALS:
                signal.signal(one, self.ring)
            signal.setitimer(signal.ITIMER_PROF, self.seconds)
            signal.setitimer(signal.ITIMER_REAL, WAITING_TIMES * self.seconds)
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
            for one in SIGNALS:
                signal.signal(one, signal.SIG_DFL)

    def ring(self, number: int, _: Any) -> None:  # noqa: ANN401 -- a frame, of which nothing is asked
        """Raise where the test is right now, so that its trace shows the place."""
        seconds = self.seconds or 0.0
        self.seconds = max(LEAST_SECONDS, seconds / 2)
        waited = number == signal.SIGALRM
        raise Overdue("Timeout after {:g} seconds{}".format(
            WAITING_TIMES * seconds if waited else seconds, "" if waited else " of the processor"))
