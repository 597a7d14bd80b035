"""From which value on a condition breaks a section: the way between what holds and what breaks, halved a few times.

Both ends are asked three times, and must answer the same each time; a value between them counts as breaking where most
of three repetitions break. An edge is told in values that were tried: ``breaks`` broke, ``holds`` held.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from windtunnel.core.limits import MIB, Limits
from windtunnel.core.scenario import Edge, Scenario
from windtunnel.core.simulation import Blame, Outcome, SectionEdge, Simulation, State
from windtunnel.scenarios.bisection import bisect
from windtunnel.scenarios.fields import FIELDS
from windtunnel.scenarios.parts import only, parts_of
from windtunnel.scenarios.preset import preset

STEPS = 8
"""Halvings of one search, at most."""
ENDS = 3
NUMERIC = ("CPU_LIMIT", "MEMORY_LIMIT", "DISK_LIMIT", "TIMEOUT", "NETWORK_LATENCY_MS", "NETWORK_JITTER_MS",
           "PACKET_LOSS", "PACKET_DUPLICATION", "PACKET_REORDERING", "BANDWIDTH_LIMIT")
_LINK = ("NETWORK_LATENCY_MS", "NETWORK_JITTER_MS", "PACKET_LOSS", "PACKET_DUPLICATION", "PACKET_REORDERING")
_BYTES, _RATE = ("MEMORY_LIMIT", "DISK_LIMIT"), "BANDWIDTH_LIMIT"

Under = Callable[[Sequence[tuple[Scenario, Collection[str]]], int], Sequence[Mapping[str, Outcome]]]
"""Runs sections under scenarios with so many repetitions; how each did, by id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How far searches go."""

    usual: Limits
    """What holds where nothing is asked: the mild end of a limit."""
    call_seconds: float
    """The same of TIMEOUT."""
    most: int = 20
    """Edges."""
    seconds: float = 60.0
    """Of one search; after that what was found so far is told."""


class _Unsteady(Exception):
    """An end does not answer the same each time, or not as it did before."""


class _Over(Exception):
    """The time of a search is."""


def edges_of(made: Simulation, *, under: Under, bounds: Bounds) -> tuple[SectionEdge, ...]:
    """The edge of each numeric condition that alone breaks a section."""
    usual = bounds.usual
    mild = {"CPU_LIMIT": usual.cores, "MEMORY_LIMIT": float(usual.memory_bytes), "TIMEOUT": bounds.call_seconds,
            "DISK_LIMIT": float(usual.disk_bytes), **dict.fromkeys(_LINK, 0.0)}
    named = {one.name: one for one in made.scenarios}
    return tuple(_edge(_Asked(blame.section, field, under, bounds.seconds), scenario, mildest=mild.get(field))
                 for blame, field, scenario in list(_asked(made.blames, named))[:bounds.most])


def unasked(made: Simulation, *, most: int) -> int:
    """How many edges more there are to look for."""
    return max(0, len(list(_asked(made.blames, {one.name: one for one in made.scenarios}))) - most)


def _asked(blames: Sequence[Blame], named: Mapping[str, Scenario]) -> Iterator[tuple[Blame, str, Scenario]]:
    for blame in blames:
        for field in () if blame.together else blame.conditions:
            seen = next((named[name] for name in blame.scenarios if field in parts_of(named[name])), None)
            if field in NUMERIC and seen is not None:
                yield blame, field, only(seen, {field})


def _edge(asked: _Asked, scenario: Scenario, *, mildest: float | None) -> SectionEdge:
    more = ""
    try:
        found = bisect(scenario, asked.field, breaks=asked.breaks, steps=STEPS, mildest=mildest)
        found = replace(found, probes=asked.probes)
    except _Over:
        found, more = asked.found, f", as far as {asked.seconds:g} s let search"
    except _Unsteady as problem:
        edge = Edge(field=asked.field, holds=None, breaks=None, probes=asked.probes)
        return SectionEdge(section=asked.section, edge=edge, words=f"unsteady under {asked.field}: {problem}")
    return SectionEdge(section=asked.section, edge=found, words=words_of(found) + more)


class _Asked:
    """One section, asked at one value after the other: first at both ends, then between them."""

    def __init__(self, section: str, field: str, under: Under, seconds: float) -> None:
        self.section, self.field, self.under, self.seconds = section, field, under, seconds
        self.probes = 0
        self.until = time.monotonic() + seconds
        self.found = Edge(field=field, holds=None, breaks=None, probes=0)

    def breaks(self, scenario: Scenario) -> bool:
        """Whether the section breaks under it."""
        if self.probes >= 2 and time.monotonic() > self.until:  # noqa: PLR2004 -- two ends, which are always asked
            raise _Over
        self.probes += 1
        broken = self._at_an_end(scenario) if self.probes <= 2 else self._between(scenario)  # noqa: PLR2004 -- the same
        if self.probes <= 2 and broken != (self.probes == 1):  # noqa: PLR2004 -- the same
            raise _Unsteady("alone it no longer breaks" if self.probes == 1 else "it breaks at the mildest value too")
        self._note(scenario, broken=broken)
        return broken

    def _note(self, scenario: Scenario, *, broken: bool) -> None:
        value = FIELDS[self.field].read(preset(scenario).get(self.field, 0.0), field=self.field)
        assert isinstance(value, int | float)
        known = replace(self.found, probes=self.probes)
        self.found = replace(known, breaks=float(value)) if broken else replace(known, holds=float(value))

    def _at_an_end(self, scenario: Scenario) -> bool:
        asked: list[tuple[Scenario, Collection[str]]] = [(scenario, [self.section])] * ENDS
        states = [self._state(told) for told in self.under(asked, 1)]
        broken = states.count(State.BROKEN)
        if broken not in (0, ENDS):
            raise _Unsteady(f"with {scenario.name} it breaks {broken} of {ENDS} times")
        return broken == ENDS

    def _between(self, scenario: Scenario) -> bool:
        (told,) = self.under([(scenario, [self.section])], ENDS)
        return self._state(told) is State.BROKEN

    def _state(self, told: Mapping[str, Outcome]) -> State:
        outcome = told.get(self.section)
        if outcome is None or outcome.state is State.NOT_RUN:
            raise _Unsteady(outcome.reason if outcome is not None else "nothing was heard of it")
        return outcome.state


def words_of(edge: Edge) -> str:
    """As people read it: ``breaks at MEMORY_LIMIT 48 MiB and less, holds at 52 MiB``."""
    assert edge.breaks is not None
    assert edge.holds is not None
    beyond = "less" if FIELDS[edge.field].harsher == "less" else "more"
    return (f"breaks at {edge.field} {_said(edge.field, edge.breaks)} and {beyond}, holds at "
            f"{_said(edge.field, edge.holds)}")


def _said(field: str, value: float) -> str:
    if field in _BYTES:
        return f"{value / MIB:.4g} MiB"
    return f"{value / 1e6:.4g} Mbit/s" if field == _RATE else f"{value:.4g}"
