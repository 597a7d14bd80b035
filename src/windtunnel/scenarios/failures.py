"""The words of FAILURE_MODES: our own names of faults, and those that older presets use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from windtunnel.core.errors import UsageError
from windtunnel.core.scenario import Fault
from windtunnel.core.strict_json import read_json
from windtunnel.scenarios.readers import shown

_MOST_MODES = 64
_MOST_TEXT = 4096
_FIELD = "FAILURE_MODES"

ALIASES: Mapping[str, Fault] = {
    "disk": Fault.DISK_FULL,
    "disk_corruption": Fault.CORRUPTED_READS,
    "network": Fault.SLOW_CONNECTIONS,
    "network_partition": Fault.PARTITION,
    "api_latency": Fault.SLOW_CONNECTIONS,
    "flaky_upstream": Fault.RESET_CONNECTIONS,
    "upstream_failure": Fault.KILLED_DEPENDENCY,
    "dns": Fault.DNS_FAILURE,
    "memory": Fault.MEMORY_PRESSURE,
    "cpu": Fault.CPU_SPIKE,
    "concurrency_spike": Fault.CPU_SPIKE,
}
"""Older words, and the fault that each means here; a concurrency spike is others who want the same processors."""

HOSTILE = ("hostile_input", "malicious_data", "user_misuse")
"""Older words that are no fault of the machine: they ask for hostile inputs."""

HOSTILE_INTENSITY = 50
"""THREAT_INTENSITY where one of ``HOSTILE`` is named and nothing else says how much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failures:
    """What the words came to."""

    faults: frozenset[Fault] = frozenset()
    hostile: bool = False
    """Whether hostile inputs are asked for."""


def read_failures(value: object, *, field: str = _FIELD) -> Failures:
    """One word, words with commas between them, a list, or the JSON text of a list; empty and ``none`` mean none."""
    words = [word for word in map(_word, _listed(value, field=field)) if word not in ("", "none")]
    return Failures(faults=frozenset(_fault(word, field=field) for word in words if word not in HOSTILE),
                    hostile=any(word in HOSTILE for word in words))


def _listed(value: object, *, field: str) -> list[str]:
    listed = value
    if isinstance(value, str) and len(value) <= _MOST_TEXT:
        listed = (read_json(value.encode("utf-8", "replace"), field=field) if value.lstrip().startswith("[")
                  else value.split(","))
    words = isinstance(listed, list | tuple) and all(isinstance(word, str) for word in listed)
    if not isinstance(listed, list | tuple) or not words or len(listed) > _MOST_MODES:
        raise UsageError(f"{field}: not a list of at most {_MOST_MODES} words: {shown(value)} (known: {known()})",
                         field=field)
    return list(listed)


def _word(text: str) -> str:
    return text.strip().lower().replace("-", "_")


def _fault(word: str, *, field: str) -> Fault:
    if word in ALIASES:
        return ALIASES[word]
    if word not in tuple(Fault):
        raise UsageError(f"{field}: there is no {shown(word)} (known: {known()})", field=field)
    return Fault(word)


def known() -> str:
    """All words that are understood."""
    return ", ".join([*Fault, *ALIASES, *HOSTILE])
