"""What a trial may be asked for; everything else is refused, by name, before anything runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from windtunnel.core.errors import UsageError
from windtunnel.core.gate import Thresholds
from windtunnel.core.ports import Network, Rig
from windtunnel.core.trial import Kind
from windtunnel.engine.check import check_variables
from windtunnel.engine.secrets import check_secrets

if TYPE_CHECKING:
    from windtunnel.engine.trial import Trial

_MOST_JOBS = 1024


def check_trial(rig: Rig, trial: Trial) -> None:
    """Refuse what is of a wrong kind or not allowed here."""
    for name in ("build", "lint", "test"):
        given = getattr(trial, name)
        if given is not None and not isinstance(given, str | list | tuple):
            raise UsageError(f"{name}: not a command: {type(given).__name__}", field=name)
    if trial.pattern is not None and not isinstance(trial.pattern, str):
        raise UsageError(f"pattern: not text: {type(trial.pattern).__name__}", field="pattern")
    if trial.jobs is not None and (type(trial.jobs) is not int or not 1 <= trial.jobs <= _MOST_JOBS):
        raise UsageError(f"jobs: not a number from 1 to {_MOST_JOBS}: {trial.jobs!r}", field="jobs")
    seconds = trial.test_seconds
    if seconds is not None and (type(seconds) not in (int, float) or not 0 < seconds < math.inf):
        raise UsageError(f"test_seconds: not a number above 0: {seconds!r:.60}", field="test_seconds")
    if trial.tell is not None and not callable(trial.tell):
        raise UsageError(f"tell: cannot be called: {type(trial.tell).__name__}", field="tell")
    if not isinstance(trial.strict_tamper, bool):
        raise UsageError(f"strict_tamper: neither True nor False: {trial.strict_tamper!r:.60}", field="strict_tamper")
    _check_gate(trial)
    _check_list(trial.expected_tests, "expected_tests")
    networks(rig, trial)
    environments(trial)


def _check_gate(trial: Trial) -> None:
    if not isinstance(trial.gate, bool | Thresholds):
        raise UsageError(f"gate: neither True nor False nor Thresholds: {trial.gate!r:.60}", field="gate")
    if trial.gate and trial.pattern is not None:
        raise UsageError("gate: judged by all tests that reach the change; leave out the pattern", field="pattern")


def networks(rig: Rig, trial: Trial) -> tuple[Network, Network | None]:
    """What the checks may reach, and what the build may instead."""
    _check_list(trial.build_hosts, "build_hosts")
    if trial.build_hosts:
        from windtunnel.sandbox.egress_rules import parse_hosts  # noqa: PLC0415 -- most trials have no network

        parse_hosts(trial.build_hosts)
    if (trial.network_enabled or trial.build_hosts) and not rig.allow_network:
        raise UsageError("network_enabled: the operator's configuration forbids a network", field="network_enabled")
    build = Network(allow_hosts=tuple(trial.build_hosts)) if trial.build_hosts else None
    return Network(host=bool(trial.network_enabled)), build


def environments(trial: Trial) -> dict[Kind, dict[str, str]]:
    """The variables of each step, with the secrets that are for it alone."""
    shared = check_variables(trial.env, field="env")
    if not isinstance(trial.secrets, Mapping):
        raise UsageError("secrets: not a mapping of steps to variables", field="secrets")
    for step in trial.secrets.keys() - {str(kind) for kind in Kind}:
        raise UsageError(f"secrets: {step!r} is not a step (build, lint or test)", field="secrets")
    return {kind: {**shared, **check_secrets(check_variables(trial.secrets.get(str(kind), {}), field="secrets"))}
            for kind in Kind}


def secrets_of(trial: Trial) -> dict[str, str]:
    """All secrets, whichever step they are for."""
    return {f"{step}/{name}": value for step, given in trial.secrets.items() for name, value in given.items()}


def _check_list(given: Sequence[str], field: str) -> None:
    if isinstance(given, str) or not isinstance(given, Sequence) or not all(isinstance(each, str) for each in given):
        raise UsageError(f"{field}: not a list of texts: {given!r:.60}", field=field)
