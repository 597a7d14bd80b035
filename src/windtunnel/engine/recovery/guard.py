"""Whoever watches over a run from outside: it is a process of its own, and begun again when something kills it.

What holds: a process that died by a signal that nobody sends on purpose is begun again, after everything of its process
group was ended, and goes on with the first cycle that is not in its journal. Each death is on the disk before the next
beginning. A run that dies again and again without finishing a cycle is given up. A process that ends by itself is not
begun again: what it says counts, also when it says that it failed. What does not hold: when the guard itself is killed,
the run goes on without one, unless its command asks the kernel to die with it (``core.dying``), as cycles do.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.engine.recovery.journal import finished_in
from windtunnel.spawn import start_group
from windtunnel.store.runs import RunStore

_MEANT = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""What people send to have a run end."""
_GRACE_SECONDS = 10.0
_PAUSE_SECONDS = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How often and how soon something is begun again.

    Before restart number n in a row: ``first_seconds * 2 ** (n - 1)`` seconds, at most ``longest_seconds``.
    """

    most_restarts: int = 5
    """In a row; a finished cycle begins the count anew."""
    first_seconds: float = 0.5
    longest_seconds: float = 60.0

    def __post_init__(self) -> None:
        """Refuse what would never end or never begin."""
        if type(self.most_restarts) is not int or not 0 <= self.most_restarts <= 1_000_000:  # noqa: PLR2004
            raise UsageError(f"most_restarts: {self.most_restarts!r:.40} is not a number from 0 to 1000000",
                             field="most_restarts")
        if not 0 <= self.first_seconds <= self.longest_seconds <= 86_400:  # noqa: PLR2004
            raise UsageError("first_seconds: from 0 up to longest_seconds, and that at most 86400",
                             field="first_seconds")

    def pause(self, restart: int) -> float:
        """Seconds to wait before it."""
        return min(self.longest_seconds, self.first_seconds * 2.0 ** min(restart - 1, 60))


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarded:
    """How it went."""

    exit_code: int
    restarts: int
    reasons: tuple[str, ...]
    """Why it died, each time."""


class Guard:
    """Runs one command until it ends by itself."""

    def __init__(
        self, argv: Sequence[str], *, run: str, folder: Path, runs: RunStore, patience: Patience | None = None,
        environment: Mapping[str, str] | None = None, tell: Callable[[str], None] = lambda _: None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """``argv`` goes on with the run ``run``, whose journal is in ``folder``, each time that it is begun."""
        if not argv:
            raise UsageError("argv: names no program", field="argv")
        self._argv, self._run, self._folder, self._runs = list(argv), run, folder, runs
        self._patience, self._environment = patience or Patience(), environment
        self._tell, self._sleep = tell, sleep

    def run(self) -> Guarded:
        """Until it ends, or dies too often in a row."""
        reasons: list[str] = []
        row = 0
        while True:
            before = len(finished_in(self._folder))
            code = self._once()
            if code >= 0 or -code in _MEANT:
                return Guarded(exit_code=code if code >= 0 else 128 - code, restarts=len(reasons),
                               reasons=tuple(reasons))
            row = 1 if len(finished_in(self._folder)) > before else row + 1
            reasons.append(self._died(-code))
            if row > self._patience.most_restarts:
                raise SandboxFailure(f"run: {reasons[-1]}, {row} times in a row without finishing a cycle; those that "
                                     f"are finished are kept ({self._run})")
            self._sleep(self._patience.pause(row))

    def _died(self, number: int) -> str:
        reason = f"killed by {_name(number)}"
        try:
            self._runs.fail(self._run, when=time.time(), reason=reason)
        except SandboxFailure as failure:  # a full disk must not end a run that could go on
            self._tell(f"the restart is not counted: {failure}")
        self._tell(f"{reason}; begun again from the last finished cycle")
        return reason

    def _once(self) -> int:
        """The exit code, or minus the signal."""
        pid = 0
        try:
            before = signal.pthread_sigmask(signal.SIG_BLOCK, _MEANT)  # until it is known what there is to end
            try:
                environment = os.environ if self._environment is None else self._environment
                pid = start_group(self._argv, env=environment, mask=before)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        except BaseException:
            if pid:
                _end(pid)
            raise
        return _reap(pid)


def _end(pid: int) -> None:
    """First as a person would, then all that is left of it."""
    _signal_group(pid, signal.SIGINT)
    until = time.monotonic() + _GRACE_SECONDS
    while time.monotonic() < until and not _has_ended(pid):
        time.sleep(_PAUSE_SECONDS)
    _reap(pid)


def _reap(pid: int) -> int:
    """End the rest of its group while its number is still its own, and take it away; how it ended."""
    _signal_group(pid, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _has_ended(pid: int) -> bool:
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None


def _signal_group(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
