"""Doors to runs that go on after a failure, and to the figures about them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Generic, ParamSpec, TypeVar

from windtunnel.core.errors import Cancelled, UsageError
from windtunnel.core.exposition import Family
from windtunnel.engine.recovery.exposing import MetricsServer
from windtunnel.engine.recovery.gauges import LAST_FAILURE, PROCESS, RESTARTS, RestartGauges, families_of
from windtunnel.engine.recovery.guard import Patience

__all__ = ["MetricsServer", "Patience", "SandboxRecoveryManager", "start_metrics_server"]

_Given = ParamSpec("_Given")
_Answer = TypeVar("_Answer")


class SandboxRecoveryManager(Generic[_Given, _Answer]):
    """Begins ``main`` again after an exception, and counts how often.

    It stays in this process: a run that must outlive the death of its process is one for ``Guard``. That no cycle is
    lost or done twice is for ``Journal`` and ``resume``, which ``main`` may use.
    """

    def __init__(
        self, main: Callable[_Given, _Answer], *, patience: Patience | None = None,
        on_retry: Callable[[Exception, int], object] | None = None, sleep: Callable[[float], object] = time.sleep,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """``on_retry`` hears each failure and the number of the restart that follows it."""
        self._main, self._patience = main, patience or Patience()
        self._on_retry, self._sleep, self._clock = on_retry, sleep, clock
        self._own = RestartGauges()

    @property
    def metrics(self) -> dict[str, float]:
        """``sandbox_restart_count`` and ``sandbox_last_failure_time`` (seconds since 1970, or 0 before any failure)."""
        return self._own.values

    def run(self, *given: _Given.args, **named: _Given.kwargs) -> _Answer:
        """The answer of ``main``; where it fails more often than there is patience for, its last exception.

        What is wrong about the request, or was cancelled, is raised at once: it would be the same again.
        """
        restarts = 0
        while True:
            try:
                return self._main(*given, **named)
            except (UsageError, Cancelled):
                raise
            except Exception as error:
                restarts += 1
                self._failed(again=restarts <= self._patience.most_restarts)
                if restarts > self._patience.most_restarts:
                    raise
                if self._on_retry is not None:
                    self._on_retry(error, restarts)
                self._sleep(self._patience.pause(restarts))

    def _failed(self, *, again: bool) -> None:
        now = self._clock()
        for gauges in (self._own, PROCESS):
            gauges.failed(now, restarts=again)


def start_metrics_server(port: int, *, address: str = "127.0.0.1") -> MetricsServer:
    """Serve both gauges, of everything that this process begins again, at ``/metrics`` until it is closed.

    Only loopback will do; ``windtunnel metrics`` serves elsewhere too, with keys.
    """
    return MetricsServer(_collect, address=address, port=port)


def _collect() -> tuple[Family, ...]:
    values = PROCESS.values
    return families_of(values[RESTARTS], values[LAST_FAILURE])
