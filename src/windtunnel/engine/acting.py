"""A rig that several people share, as one of them uses it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from windtunnel.config import Settings
from windtunnel.core.errors import Cancelled, IsolationUnavailable
from windtunnel.core.limits import Limits
from windtunnel.core.ports import History, Job, Rig, Sandbox
from windtunnel.core.result import ExecutionResult, Level


def sharing(
    rig: Rig, settings: Settings, *, history: History | None, stop: Callable[[], bool] | None,
) -> Rig:
    """The same sandboxes, another history, the limits of these settings; ``stop`` ends what runs in this view alone."""
    if not rig.sandbox.level.at_least(settings.min_isolation):
        raise IsolationUnavailable(f"the project asks for at least the {settings.min_isolation} level, and this server "
                                   f"has the {rig.sandbox.level} level (start one with --level)")
    sandbox = rig.sandbox if stop is None else Stoppable(rig.sandbox, stop)
    return replace(
        rig, history=history, sandbox=sandbox, caps=settings.caps, default_limits=settings.default_limits,
        allow_network=settings.allow_network, trial_seconds=settings.trial_seconds, tampering=settings.tamper,
        gate=settings.gate)


def stricter(ours: Settings, project: Settings) -> Settings:
    """Ours, and what a project's own configuration tightens of it."""
    level = project.min_isolation if project.min_isolation.at_least(ours.min_isolation) else ours.min_isolation
    gate = project.gate.strictest(ours.gate) if project.gate is not None else ours.gate
    return replace(
        ours, caps=_least(ours.caps, project.caps), default_limits=_least(ours.default_limits, project.default_limits),
        allow_network=ours.allow_network and project.allow_network, min_isolation=level, gate=gate,
        trial_seconds=min(ours.trial_seconds, project.trial_seconds), project_policy=project.project_policy,
        tamper=ours.tamper if project.tamper.looser_than(ours.tamper) else project.tamper)


def _least(one: Limits, other: Limits) -> Limits:
    lower: dict[str, Any] = {}
    for name in (field.name for field in fields(Limits)):
        known = [value for value in (getattr(one, name), getattr(other, name)) if value is not None]
        lower[name] = min(known) if known else None
    return replace(one, **lower)


class Stoppable:
    """A sandbox whose programs one caller can cancel.

    What holds: a program that runs is ended within a tenth of a second, and no other begins.
    """

    def __init__(self, sandbox: Sandbox, stop: Callable[[], bool]) -> None:
        """Its walls are those of the sandbox."""
        self._sandbox, self._stop = sandbox, stop
        self.level: Level = sandbox.level

    def run(self, job: Job) -> ExecutionResult:
        """Run it, unless all was cancelled before."""
        if self._stop():
            raise Cancelled("cancelled before the next program began")
        return self._sandbox.run(replace(job, stop=self._stop if job.stop is None else _either(self._stop, job.stop)))

    def close(self) -> None:
        """Nothing: others use it too."""


def _either(one: Callable[[], bool], other: Callable[[], bool]) -> Callable[[], bool]:
    return lambda: one() or other()
