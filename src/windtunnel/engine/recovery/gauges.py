"""How often something was begun again, and when it failed last: the two gauges of the document."""

from __future__ import annotations

import threading

from windtunnel.core.exposition import Family, gauge

RESTARTS, LAST_FAILURE = "sandbox_restart_count", "sandbox_last_failure_time"


class RestartGauges:
    """Counted from any thread."""

    def __init__(self) -> None:
        """Nothing failed yet."""
        self._lock = threading.Lock()
        self._restarts, self._last = 0, 0.0

    def failed(self, when: float, *, restarts: bool) -> None:
        """One failure more; whether something was begun again after it."""
        with self._lock:
            self._restarts += restarts
            self._last = max(self._last, when)

    @property
    def values(self) -> dict[str, float]:
        """By the names of the gauges."""
        with self._lock:
            return {RESTARTS: float(self._restarts), LAST_FAILURE: self._last}


def families_of(restarts: float, last_failure: float) -> tuple[Family, Family]:
    """Both, for whoever watches."""
    return (gauge(RESTARTS, restarts, words="Times that a run was begun again after it died."),
            gauge(LAST_FAILURE, last_failure, words="When a run died last, in seconds since 1970; 0 if none did."))


PROCESS = RestartGauges()
"""Of everything that this process begins again."""
