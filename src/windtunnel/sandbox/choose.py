"""Which walls a run gets: the strongest asked for, and never weaker ones in silence."""

from __future__ import annotations

from windtunnel.core.errors import IsolationUnavailable
from windtunnel.core.ports import Job, Sandbox
from windtunnel.core.result import ExecutionResult, Level
from windtunnel.sandbox.bubblewrap import Bubblewrap


def decide(*, level: Level | None = None, min_isolation: Level = Level.PROCESS) -> Level:
    """The level asked for; without one, the process level, or the least allowed where that is stronger."""
    wanted = level or Level.PROCESS
    if wanted.at_least(min_isolation):
        return wanted
    if level is not None:
        raise IsolationUnavailable(f"the {level} level is below the least one allowed here ({min_isolation})")
    return min_isolation


def choose(*, level: Level | None = None, min_isolation: Level = Level.PROCESS, pool_size: int = 2) -> Sandbox:
    """The sandbox for a level that needs no engine.

    Without a level, the process level, or what the caller allowed by name below it.
    """
    wanted = decide(level=level, min_isolation=min_isolation)
    if wanted is Level.RESTRICTED:
        return _restricted()
    if wanted is not Level.PROCESS:
        raise IsolationUnavailable(f"the {wanted} level is made of an engine (see engine.levels)")
    strong = Bubblewrap(pool_size=pool_size)
    allowed = level is None and Level.RESTRICTED.at_least(min_isolation)
    return WithFallback(strong) if allowed else strong


def _restricted() -> Sandbox:
    from windtunnel.sandbox.restricted import Restricted  # noqa: PLC0415 -- rarely needed

    return Restricted()


class WithFallback:
    """The process level where it can be raised, else the restricted one, for callers who allowed that by name.

    Every result says which of them it was.
    """

    def __init__(self, strong: Bubblewrap) -> None:
        """Try the strong one until it refuses once."""
        self._strong: Sandbox = strong
        self._weak: Sandbox | None = None
        self.level = strong.level

    def run(self, job: Job) -> ExecutionResult:
        """At the strongest level that can be had here."""
        if self._weak is None:
            try:
                return self._strong.run(job)
            except IsolationUnavailable:
                self._weak = _restricted()
                self.level = self._weak.level
        return self._weak.run(job)

    def close(self) -> None:
        """Both."""
        self._strong.close()
        if self._weak is not None:
            self._weak.close()
