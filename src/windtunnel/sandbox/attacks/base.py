"""An attack as data: what a hostile program does, and how the host decides whether the walls held."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from windtunnel.core.limits import MIB, Limits
from windtunnel.core.result import ExecutionResult
from windtunnel.sandbox.attacks.prelude import PRELUDE

if TYPE_CHECKING:
    from windtunnel.sandbox.attacks.host import Host

Values: TypeAlias = Mapping[str, str | int]
"""What ``{name}`` in a program stands for; written into it as Python literals."""


class Outcome(StrEnum):
    """What is known after an attack."""

    HELD = "held"
    NOT_HELD = "not held"
    NOT_RUN = "not run"
    """It does not apply on this machine; the evidence says why."""
    UNPROVEN = "unproven"
    """It went astray before its act, so it shows nothing; counted against the sandbox, never for it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """An outcome with one line of evidence."""

    outcome: Outcome
    evidence: str


def held(evidence: str) -> Verdict:
    """The act was refused."""
    return Verdict(Outcome.HELD, evidence)


def not_held(evidence: str) -> Verdict:
    """The act succeeded."""
    return Verdict(Outcome.NOT_HELD, evidence)


def not_run(evidence: str) -> Verdict:
    """The act does not exist here."""
    return Verdict(Outcome.NOT_RUN, evidence)


def unproven(evidence: str) -> Verdict:
    """Nothing was shown."""
    return Verdict(Outcome.UNPROVEN, evidence)


def nothing(_host: Host) -> Values:
    """Prepare nothing."""
    return {}


def always() -> str | None:
    """Run everywhere."""
    return None


def only_x86_64() -> str | None:
    """Run where the machine code of the attack is understood."""
    import platform  # noqa: PLC0415 -- slow to import, and asked for by few

    machine = platform.machine()
    return None if machine == "x86_64" else f"the act is x86_64 machine code; this machine is {machine}"


USUAL = Limits(wall_seconds=8.0, memory_bytes=256 * MIB, processes=64, disk_bytes=32 * MIB, files=2000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """One row of the threat catalogue, as a program and its judge."""

    row: str
    title: str
    severity: str
    """Esc, Leak, Exf, Lat, DoS, Int: escape, host data read, way out, other run reached, starvation, kernel surface."""
    code: str
    """Python source that ends in ``finish()`` or ``hold()``; ``{name}`` becomes a literal from ``prepare``."""
    judge: Callable[[Host, ExecutionResult], Verdict]
    """Decides from what the host sees; sees the result of the last program."""
    prepare: Callable[[Host], Values] = nothing
    watch: Callable[[Host, threading.Event], None] | None = None
    """Runs on the host beside the program, until the event is set."""
    limits: Limits = USUAL
    again: str | None = None
    """A second program, run when the first has ended."""
    beside: str | None = None
    """Another program under the same limits, which the watcher starts by ``host.run_beside``."""
    build: bool = False
    """Whether the folder that the prelude calls ``OUT`` is read back, as a build's product is."""
    needs: Callable[[], str | None] = always
    """Why it cannot be run here, or None."""


def render(code: str, values: Values) -> str:
    """The whole program, with each ``{name}`` replaced by a literal."""
    text = PRELUDE + code
    for name, value in values.items():
        text = text.replace("{" + name + "}", repr(value))
    return text
