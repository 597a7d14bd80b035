"""Alerts to a program of the operator's: the alert as JSON on its standard input, never in its arguments.

What holds: no shell, no variable and no argument carries a word of the alert; the program ends within its time, also
when this process is killed, and with all that it started in its own process group; what it prints is read within
bounds.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from windtunnel.core.alert import Alert, Severity, one_line
from windtunnel.core.errors import SandboxFailure
from windtunnel.engine.watch.destination import line_of
from windtunnel.policy import table
from windtunnel.policy.table import Table
from windtunnel.policy.tree import Node, shown
from windtunnel.spawn.handing import hand

OPTIONS = ("seconds",)
_SECONDS, _MOST_SECONDS = 10.0, 300.0
_MOST_SHOWN = 200
_KEPT = ("PATH", "HOME", "LANG", "TZ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A program by its path, with its arguments."""

    name: str
    least: Severity
    argv: tuple[str, ...]
    seconds: float = _SECONDS

    def send(self, alert: Alert, _: Callable[[str], None]) -> None:
        """Exit code 0 means that it was taken."""
        env = {key: os.environ[key] for key in _KEPT if key in os.environ}
        code, said = hand(self.argv, f"{line_of(alert)}\n".encode(), seconds=self.seconds, env=env)
        if code is None:
            raise SandboxFailure(f"{self.argv[0]}: no answer within {self.seconds:g} seconds; it was ended")
        if code:
            raise SandboxFailure(f"{self.argv[0]}: exit code {code}: {one_line(said.strip(), most=_MOST_SHOWN)}")


def read(found: Table, name: str, least: Severity) -> Command:
    """As the file of rules spells it."""
    seconds = found.read("seconds", table.seconds, _SECONDS)
    if seconds > _MOST_SECONDS:
        raise found.place("seconds").refusal(f"seconds: more than {_MOST_SECONDS:g}")
    return Command(name=name, least=least, argv=found.must("command", _argv), seconds=seconds)


def _argv(node: Node, name: str) -> tuple[str, ...]:
    found = table.texts(node, name)
    if not found or not found[0].startswith("/") or any("\0" in one for one in found):
        raise node.refusal(f"{name}: not a program by its whole path with its arguments: "
                           f"{shown(found[0] if found else None)} (try [/usr/local/bin/page, --now])")
    return found
