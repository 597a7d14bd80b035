"""Sections under scenarios: inputs found once, calls that hold without conditions, and what conditions do to them.

Whatever breaks is asked again before it is said: under the same scenario three times, and without conditions three
times more. Which condition it was is then found by trying each alone (``attributing``).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from windtunnel.core.ports import Rig
from windtunnel.core.scenario import Fault, Scenario
from windtunnel.core.section import Call, Called, Section, Stubs
from windtunnel.core.simulation import Blame, Failing, Outcome, Simulation, State
from windtunnel.engine.simulate.attributing import blames
from windtunnel.engine.simulate.calling import Calling, explore_in, replay_in
from windtunnel.engine.simulate.comparing import Calm, calm_of, outcome
from windtunnel.engine.simulate.failing import failing_of
from windtunnel.engine.simulate.remarks import remarks_of
from windtunnel.engine.simulate.surroundings import CALM, Surroundings, surroundings
from windtunnel.scenarios.parts import parts_of

_CALM_REPEATS, _AGAIN_REPEATS = 5, 3
_HOSTILE_CALLS = 6
_ONCE = frozenset({Fault.KILLED_DEPENDENCY})
"""What happens once in the life of a sandbox: whoever is called second would not meet it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is asked for, ready to be done."""

    project: str
    sections: tuple[Section, ...]
    scenarios: tuple[Scenario, ...]
    seed: int = 0
    calls: int = 6
    """Of each section, at most."""
    seconds: float = 5.0
    """Of one call, at most."""
    explore_seconds: float = 4.0
    """For finding inputs of one section."""
    workers: int = 2
    wall_seconds: float = 3600.0
    stubs: Stubs | None = None
    tell: Callable[[str, float | None], None] | None = None
    """Hears how far it is, with the share that is done."""


@dataclass(slots=True, kw_only=True)
class _Known:
    """What was found out before any condition."""

    calms: dict[str, Calm] = field(default_factory=dict)
    hostile: dict[str, tuple[Call, ...]] = field(default_factory=dict)
    unsteady: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    failing: tuple[Failing, ...] = ()
    notes: tuple[str, ...] = ()


class Course:
    """One simulation on its way."""

    def __init__(self, rig: Rig, plan: Plan) -> None:
        """Nothing has run yet."""
        self.rig, self.plan = rig, plan
        self.known = _Known()
        self.probes: dict[str, Mapping[str, object]] = {}
        """By scenario: what the faults around the calls were measured to do."""
        self.section_runs = 0
        self._lock = threading.Lock()

    def run(self) -> Simulation:
        """All of it."""
        began = time.monotonic()
        self.calm()
        first = self.under([(one, self.known.calms) for one in self.plan.scenarios], repeats=1)
        confirmed = self._confirmed([one for told in first for one in told.values() if one.state is State.BROKEN])
        outcomes = [confirmed.get((one.section, one.scenario), one) for told in first for one in told.values()]
        steady = [one for one in outcomes if one.section not in self.known.unsteady]
        found = self._blames([one for one in steady if one.state is State.BROKEN])
        return Simulation(
            project=self.plan.project, seed=self.plan.seed, scenarios=self.plan.scenarios,
            sections=tuple(one for one in self.plan.sections
                           if one.id in self.known.calms and one.id not in self.known.unsteady),
            outcomes=tuple(steady), blames=found, unsteady=dict(self.known.unsteady), skipped=dict(self.known.skipped),
            failing=self.known.failing, section_runs=self.section_runs, seconds=time.monotonic() - began,
            notes=self.known.notes)

    # --- without conditions ---

    def calm(self) -> None:
        """Find inputs, and which calls do the same every time."""
        self._tell("finding inputs", None)
        calls = self._explored(hostile=0)
        self._tell("calling without conditions", None)
        told = self._replayed(self.at(CALM), calls, repeats=_CALM_REPEATS)
        for called in told.called:
            calm = calm_of(called)
            if calm.unsteady:
                self.known.unsteady[calm.section] = calm.unsteady
            else:
                self.known.calms[calm.section] = calm
        if any(one.threat_intensity for one in self.plan.scenarios):
            for call in self._explored(hostile=100):
                self.known.hostile[call.section.id] = (*self.known.hostile.get(call.section.id, ()), call)

    def _explored(self, *, hostile: int) -> list[Call]:
        """Hostile inputs are not looked for where others were not found: what hung or crashed once does so again."""
        place = self.at(CALM).place
        sections = [one for one in self.plan.sections if one.id not in self.known.skipped]
        told = explore_in(self.rig, place, sections=sections, seed=self.plan.seed, jobs=self.plan.workers,
                          calls=self.plan.calls if not hostile else _HOSTILE_CALLS,
                          seconds=self.plan.explore_seconds, hostile=hostile, stubs=self.plan.stubs)
        if hostile:
            return [end.call for called in told.called for end in called.ends if end.call.hostile]
        for called in told.called:
            if not called.returned:
                self.known.skipped[called.section.id] = called.failed or _ends(called)
        self.known.notes = remarks_of(told.called, self.plan.stubs)
        self.known.failing = failing_of((one for one in told.called if not one.returned), ())
        return [end.call for called in told.called if called.returned for end in called.ends if end.how == "returned"]

    def steady(self) -> list[Call]:
        """Calls that returned every time without conditions."""
        return [call for calm in self.known.calms.values() for call in calm.calls]

    # --- under conditions ---

    def under(
        self, asked: Sequence[tuple[Scenario, Collection[str]]], *, repeats: int,
    ) -> list[dict[str, Outcome]]:
        """How these sections do under each scenario, in the order asked, several scenarios at once."""
        with ThreadPoolExecutor(self.plan.workers) as pool:
            futures = [pool.submit(self._one, scenario, sections, repeats=repeats) for scenario, sections in asked]
            told = []
            for at, future in enumerate(futures):
                told.append(future.result())
                self._tell(f"under {asked[at][0].name}", (at + 1) / len(asked))
            return told

    def _one(self, scenario: Scenario, sections: Collection[str], *, repeats: int) -> dict[str, Outcome]:
        calms = [self.known.calms[name] for name in sections if name in self.known.calms]
        calls = [call for calm in calms for call in (*calm.calls, *self._hostile(calm.section, scenario))]
        if not calls:
            return {}
        told = self._apart(scenario, calls, repeats=repeats) if _ONCE & scenario.faults else self._replayed(
            self.at(scenario), calls, repeats=repeats)
        with self._lock:
            self.section_runs += len(calms)
            self.probes.setdefault(scenario.name, told.probe)
        found = {called.section.id: called for called in told.called}
        return {calm.section: outcome(calm, found.get(calm.section), scenario=scenario.name) for calm in calms}

    def _hostile(self, section: str, scenario: Scenario) -> tuple[Call, ...]:
        """Of the hostile calls of a section, as many of a hundred as the scenario says."""
        known = self.known.hostile.get(section, ())
        return known[:round(len(known) * (scenario.threat_intensity or 0) / 100)]

    def _confirmed(self, broken: Sequence[Outcome]) -> dict[tuple[str, str], Outcome]:
        """What broke once, asked again; a section that no longer holds without conditions is not steady."""
        sections = sorted({one.section for one in broken})
        if not sections:
            return {}
        self._tell("asking again what broke", None)
        again = self._one(CALM, sections, repeats=_AGAIN_REPEATS)
        self.known.unsteady |= {name: f"without conditions it {one.reason}" for name, one in again.items()
                                if one.state is State.BROKEN}
        named = {one.name: one for one in self.plan.scenarios}
        asked = {name: [one.section for one in broken if one.scenario == name
                        and one.section not in self.known.unsteady] for name in named}
        wanted = [(named[name], some) for name, some in asked.items() if some]
        told = self.under(wanted, repeats=_AGAIN_REPEATS)
        return {(one.section, one.scenario): one for some in told for one in some.values()}

    def _blames(self, broken: Sequence[Outcome]) -> tuple[Blame, ...]:
        named = {one.name: parts_of(one) for one in self.plan.scenarios}
        alone = [one for one in broken if len(named[one.scenario]) == 1]
        known = {one.section for one in alone}
        mixed = [one for one in broken if len(named[one.scenario]) > 1 and one.section not in known]
        if mixed:
            self._tell("finding which condition it was", None)
        found = blames(mixed, self.plan.scenarios, trial=lambda asked: self.under(asked, repeats=_AGAIN_REPEATS))
        return (*_single(alone, named), *found)

    # --- running ---

    def at(self, scenario: Scenario) -> Surroundings:
        """Where sections are called under it."""
        return surroundings(scenario, project=self.plan.project, seconds=self.plan.seconds, seed=self.plan.seed,
                            wall_seconds=self.plan.wall_seconds, caps=self.rig.caps)

    def _replayed(self, at: Surroundings, calls: Sequence[Call], *, repeats: int) -> Calling:
        return replay_in(self.rig, at.place, calls=calls, faults=at.faults, seconds=at.seconds, repeats=repeats,
                         seed=self.plan.seed)

    def _apart(self, scenario: Scenario, calls: Sequence[Call], *, repeats: int) -> Calling:
        """Each section in a sandbox of its own, each time: for what goes wrong only once in each."""
        at = self.at(scenario)
        told = [self._replayed(at, [call for call in calls if call.section.id == name], repeats=1)
                for name in dict.fromkeys(call.section.id for call in calls) for _ in range(repeats)]
        ends: dict[str, Called] = {}
        for one in (called for some in told for called in some.called):
            known = ends.get(one.section.id)
            ends[one.section.id] = one if known is None else replace(known, ends=(*known.ends, *one.ends))
        return replace(told[0], called=tuple(ends.values()))

    def say(self, words: str) -> None:
        """Tell what is being done now."""
        self._tell(words, None)

    def _tell(self, words: str, share: float | None) -> None:
        if self.plan.tell is not None:
            self.plan.tell(words, share)


def _single(alone: Sequence[Outcome], parts: Mapping[str, tuple[str, ...]]) -> tuple[Blame, ...]:
    """Of scenarios with one condition: that one is to blame."""
    sections: dict[str, Blame] = {}
    for one in alone:
        part = parts[one.scenario][0]
        known = sections.get(one.section)
        if known is None:
            sections[one.section] = Blame(section=one.section, conditions=(part,), reason=one.reason, call=one.call,
                                          scenarios=(one.scenario,))
        else:
            sections[one.section] = replace(known, scenarios=(*known.scenarios, one.scenario), conditions=tuple(
                dict.fromkeys((*known.conditions, part))))
    return tuple(sections.values())


def _ends(called: Called) -> str:
    words = sorted({f"{end.how} {end.error}".strip() for end in called.ends})
    return f"no inputs were found that it returns for ({', '.join(words)})"[:200]
