"""In which cycles a model is asked.

A model is asked in cycle n (from 1) where ``interval > 0`` and ``n mod interval = 0``; and where gains have faded:
``drought > 0`` and ``drought mod retries = 0``, the drought being how many of the last cycles gained less than a cycle
costs (the stop rule's own count). The first cycle only shows how things stand: it is asked in none such, and does
not count as a drought.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from windtunnel.core.errors import UsageError
from windtunnel.returns.stopping import advise

INTERVAL, RETRIES = "SANDBOX_BRAINSTORM_INTERVAL", "SANDBOX_BRAINSTORM_RETRIES"
DEFAULT_RETRIES = 3
_MOST = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Brainstorm:
    """When a model is asked, where there is one."""

    interval: int = 0
    """Every so many cycles, whatever was gained; 0 for never."""
    retries: int = DEFAULT_RETRIES
    """After so many cycles in a row that gained too little."""

    def __post_init__(self) -> None:
        """Refuse what counts no cycles."""
        _check(self.interval, least=0, field="brainstorm_interval")
        _check(self.retries, least=1, field="brainstorm_retries")

    def why(self, gains: Sequence[float], *, cost: float) -> str:
        """Why a model is asked in the cycle after these; empty where it is not."""
        number = len(gains) + 1
        if not gains:
            return ""
        if self.interval and number % self.interval == 0:
            return f"every {self.interval} cycles"
        drought = advise(gains[1:], cost=cost).drought
        faded = drought > 0 and drought % self.retries == 0
        return f"the last {drought} cycles gained less than {cost:g}" if faded else ""


def number_of(environ: Mapping[str, str], name: str, *, default: int) -> int:
    """A variable of these; ``UsageError`` where it is no whole number."""
    text = environ.get(name, "").strip()
    if not text:
        return default
    if not text.isdecimal() or len(text) > len(str(_MOST)):
        raise UsageError(f"{name}: {text[:50]!r} is not a number of cycles from 0 to {_MOST}", field=name)
    return int(text)


def _check(value: object, *, least: int, field: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= _MOST:
        raise UsageError(f"{field}: {value!r:.60} is not a number of cycles from {least} to {_MOST}", field=field)
