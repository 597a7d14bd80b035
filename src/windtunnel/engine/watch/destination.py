"""Where an alert goes: what every destination is, and the form of what it gets."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Protocol

from windtunnel.core.alert import Alert, Severity
from windtunnel.core.plain import plain

VERSION = 1


class Destination(Protocol):
    """Takes one alert at a time; safe to be given the same one again."""

    @property
    def name(self) -> str:
        """By which it is known in the file of rules, and by which is remembered what it got."""

    @property
    def least(self) -> Severity:
        """Less than this does not go there."""

    def send(self, alert: Alert, write: Callable[[str], None]) -> None:
        """Hand it over, or say with a ``SandboxFailure`` why not; ``write`` puts a line on standard output."""


def line_of(alert: Alert) -> str:
    """One line of ASCII JSON, whatever the records held."""
    return json.dumps({"version": VERSION, **told(alert)}, default=plain)


def told(alert: Alert) -> dict[str, object]:
    """As a table, the id first."""
    return {name: getattr(alert, name) for name in (
        "id", "rule", "severity", "subject", "message", "time", "figures", "records")}
