"""What whoever watches is told: runs and trials by outcome, durations, the pool, jobs, scenario runs and restarts.

It names no user, project or program; the names of metrics of the newest scenario run are the only ones from outside.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from windtunnel.core.audit import Auditing
from windtunnel.core.exposition import Family, Sample, by_label, gauge, histogram
from windtunnel.engine.recovery.gauges import LAST_FAILURE, PROCESS, RESTARTS, families_of
from windtunnel.store.history import SqliteHistory
from windtunnel.store.jobs import JobShelf
from windtunnel.store.runs import NAME, Recovery, RunStore
from windtunnel.store.tallies import BOUNDS, AuditTally, HistoryTally

if TYPE_CHECKING:
    from windtunnel.tunnel import Tunnel


class Collector:
    """Of one tunnel; makes no file that is not there, starts no sandbox, and counts only what is new."""

    def __init__(self, tunnel: Tunnel) -> None:
        """Nothing is read yet."""
        self._tunnel, self._folder = tunnel, tunnel.settings.state_dir
        self._runs, self._jobs = RunStore(self._folder / NAME), JobShelf(self._folder / "jobs.db")
        self._history: HistoryTally | None = None
        self._audit: AuditTally | None = None

    def __call__(self) -> list[Family]:
        """As it is now."""
        return [*self._recovery(), *self._past(), *self._acts(), *self._waiting(), *self._scenarios()]

    def close(self) -> None:
        """Let go of its files."""
        self._runs.close()
        self._jobs.close()

    def _recovery(self) -> tuple[Family, ...]:
        """Of runs under a guard, which are on the disk, and of this process."""
        kept = self._runs.recovery() if self._has(self._runs) else Recovery(restarts=0, last_failure=0.0)
        own = PROCESS.values
        return families_of(kept.restarts + own[RESTARTS], max(kept.last_failure, own[LAST_FAILURE]))

    def _past(self) -> Iterator[Family]:
        history = self._tunnel.history
        if not isinstance(history, SqliteHistory) or not history.path.exists():
            return
        self._history = self._history or HistoryTally(history)
        found = self._history.counts()
        yield by_label("windtunnel_runs_total", found.runs, label="outcome", kind="counter",
                       words="Programs that ran, by how they ended.")
        yield Family(name="windtunnel_trials_total", kind="counter", words="Trials and what came of them, by verdict.",
                     samples=tuple(Sample(value=number, labels={"verb": verb, "verdict": verdict})
                                   for (verb, verdict), number in sorted(found.trials.items())))
        yield histogram("windtunnel_run_duration_seconds", found.durations, bounds=BOUNDS, total=found.seconds,
                        words="How long programs ran.")

    def _acts(self) -> Iterator[Family]:
        settings = self._tunnel.settings
        if settings.audit is Auditing.OFF:
            return
        if settings.audit_store is None and not (self._folder / "audit.db").exists():
            return
        self._audit = self._audit or AuditTally(self._tunnel.audit)
        yield by_label("windtunnel_acts_total", self._audit.counts(), label="outcome", kind="counter",
                       words="Acts in the audit log, by outcome.")

    def _waiting(self) -> Iterator[Family]:
        pool = self._tunnel.pool
        if pool["started"]:
            yield gauge("windtunnel_pool_size", float(str(pool["size"])), words="Sandboxes that are to wait.")
            yield gauge("windtunnel_pool_waiting", float(str(pool["waiting"])), words="Sandboxes that wait now.")
        if self._has(self._jobs):
            yield by_label("windtunnel_jobs", self._jobs.counts(), label="state", kind="gauge",
                           words="Jobs of the server that are kept, by state.")

    def _scenarios(self) -> Iterator[Family]:
        if not self._has(self._runs):
            return
        yield by_label("windtunnel_scenario_runs", self._runs.counts(), label="outcome", kind="gauge",
                       words="Scenario runs that are kept, by outcome.")
        newest = self._runs.newest()
        if newest is not None:
            yield gauge("windtunnel_scenario_cycles", newest.cycles, words="Finished cycles of the newest such run.")
            yield by_label("windtunnel_scenario_metric", newest.metrics, label="name", kind="gauge",
                           words="What the last cycle of the newest scenario run measured.")

    @staticmethod
    def _has(store: RunStore | JobShelf) -> bool:
        return Path(store.database.path).exists()
