"""A rig that several people share, as one of them uses it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from windtunnel.core.errors import Cancelled
from windtunnel.core.ports import History, Job, Rig, Sandbox
from windtunnel.core.result import ExecutionResult, Level


def sharing(rig: Rig, *, history: History | None, stop: Callable[[], bool] | None) -> Rig:
    """The same sandboxes, another history; ``stop`` ends what runs in this view alone."""
    sandbox = rig.sandbox if stop is None else Stoppable(rig.sandbox, stop)
    return replace(rig, history=history, sandbox=sandbox)


class Stoppable:
    """A sandbox whose programs one caller can cancel.

    What holds: a program that runs at the process or restricted level is ended within a tenth of a second, and no other
    begins. What does not hold: at the container and vm levels a program that runs already goes on to its own limits.
    """

    def __init__(self, sandbox: Sandbox, stop: Callable[[], bool]) -> None:
        """Its walls are those of the sandbox."""
        self._sandbox, self._stop = sandbox, stop
        self.level: Level = sandbox.level

    def run(self, job: Job) -> ExecutionResult:
        """Run it, unless all was cancelled before."""
        if self._stop():
            raise Cancelled("cancelled before the next program began")
        return self._sandbox.run(replace(job, stop=self._stop))

    def close(self) -> None:
        """Nothing: others use it too."""
