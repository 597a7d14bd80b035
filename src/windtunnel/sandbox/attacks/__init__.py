"""Hostile programs as data, each judged on the host's side; one file for each section of the threat catalogue."""

from __future__ import annotations

from windtunnel.sandbox.attacks import filesystem, kernel, network, resources, secrets
from windtunnel.sandbox.attacks.base import Attack, Outcome, Verdict

ALL: tuple[Attack, ...] = (
    *secrets.ATTACKS, *filesystem.ATTACKS, *network.ATTACKS, *kernel.ATTACKS, *resources.ATTACKS,
)

__all__ = ["ALL", "Attack", "Outcome", "Verdict"]
