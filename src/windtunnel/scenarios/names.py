"""Names of scenarios that say what differs from usual."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from windtunnel.core.scenario import Link, Scenario
from windtunnel.scenarios.readers import said_rate, said_size

USUAL = "usual"
_MOST_WORDS = 4
_LINK: Mapping[str, Callable[[float], str]] = {
    "delay_seconds": lambda seconds: f"latency-{round(seconds * 1000, 3):g}ms",
    "jitter_seconds": lambda seconds: f"jitter-{round(seconds * 1000, 3):g}ms",
    "loss": lambda share: f"loss-{round(share * 100, 4):g}%",
    "duplication": lambda share: f"duplication-{round(share * 100, 4):g}%",
    "reordering": lambda share: f"reordering-{round(share * 100, 4):g}%",
    "rate_bits": lambda bits: f"rate-{said_rate(bits)}",
}


def readable_name(scenario: Scenario) -> str:
    """Up to four of its conditions, faults first, and how many more there are: ``disk_full latency-200ms +3``."""
    words = list(_words(scenario))
    rest = [f"+{len(words) - _MOST_WORDS}"] if len(words) > _MOST_WORDS else []
    return " ".join([*words[:_MOST_WORDS], *rest]) or USUAL


def unique_names(scenarios: Iterable[Scenario]) -> tuple[Scenario, ...]:
    """The same, where each further one of a name gets a number behind it: ``#2``, ``#3``."""
    taken: dict[str, int] = {}
    made: list[Scenario] = []
    for scenario in scenarios:
        name = scenario.name
        while name in taken:
            taken[scenario.name] += 1
            name = f"{scenario.name} #{taken[scenario.name]}"
        taken[name] = 1
        made.append(scenario if name == scenario.name else replace(scenario, name=name))
    return tuple(made)


def is_readable_name(scenario: Scenario) -> bool:
    """Whether its name was made of its conditions rather than given."""
    plain, _, number = scenario.name.partition(" #")
    return plain == readable_name(scenario) and (not number or number.isdecimal())


def _words(scenario: Scenario) -> Iterable[str]:
    yield from sorted(scenario.faults)
    link = scenario.link or Link()
    yield from (say(getattr(link, name)) for name, say in _LINK.items() if getattr(link, name))
    if scenario.cores is not None:
        yield f"cpu-{scenario.cores:g}"
    if scenario.memory_bytes is not None:
        yield f"memory-{said_size(scenario.memory_bytes)}"
    if scenario.disk_bytes is not None:
        yield f"disk-{said_size(scenario.disk_bytes)}"
    yield from _further_words(scenario)


def _further_words(scenario: Scenario) -> Iterable[str]:
    if scenario.wall_seconds is not None:
        yield f"timeout-{scenario.wall_seconds:g}s"
    if scenario.security_level is not None:
        yield f"security-{scenario.security_level}"
    if scenario.threat_intensity:
        yield f"threat-{scenario.threat_intensity}"
    if scenario.os_type != "linux":
        yield scenario.os_type
    if scenario.environment:
        yield f"variables-{len(scenario.environment)}"
