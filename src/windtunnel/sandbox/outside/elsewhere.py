"""Levels that have no simulated outside say so before anything starts."""

from __future__ import annotations

from windtunnel.core.errors import IsolationUnavailable
from windtunnel.core.ports import Job
from windtunnel.core.result import Level


def refuse_outside(job: Job, *, level: Level) -> None:
    """Only the process level has network namespaces of our own making to put one in."""
    if job.network.outside is not None:
        raise IsolationUnavailable(
            f"the {level} level has no simulated outside; leave it out, or take the process level")
