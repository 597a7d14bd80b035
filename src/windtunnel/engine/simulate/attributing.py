"""Which condition breaks a section that broke under many of them at once.

Each condition of the scenario is tried alone; what breaks the section by itself is blamed. Where none does, each is
taken away from the others: those without which it holds are blamed together. Where that shows nothing either, the
section is said to break, and nothing is blamed for it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from windtunnel.core.scenario import Scenario
from windtunnel.core.simulation import Blame, Outcome, State
from windtunnel.scenarios.parts import only, parts_of, without

Trial = Callable[[Sequence[tuple[Scenario, Collection[str]]]], Sequence[Mapping[str, Outcome]]]
"""Runs sections, by their ids, under each scenario, with enough repetitions to be sure; how each did, by id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Suspect:
    """One section under one scenario."""

    outcome: Outcome
    scenario: Scenario


def blames(broken: Sequence[Outcome], scenarios: Sequence[Scenario], *, trial: Trial) -> tuple[Blame, ...]:
    """What breaks each of them, by section."""
    named = {one.name: one for one in scenarios}
    suspects = [_Suspect(outcome=one, scenario=named[one.scenario]) for one in broken]
    alone = _tried(suspects, trial, made=lambda scenario, part: only(scenario, {part}))
    left = [one for one in suspects if not alone[one.outcome.section]]
    healed = _healed(left, trial) if left else {}
    sections: dict[str, list[_Suspect]] = defaultdict(list)
    for one in suspects:
        sections[one.outcome.section].append(one)
    return tuple(_blame(section, group, alone[section], healed.get(section, ())) for section, group in sections.items())


def _tried(
    suspects: Sequence[_Suspect], trial: Trial, *, made: Callable[[Scenario, str], Scenario],
) -> dict[str, dict[str, Outcome]]:
    """By section: the conditions that break it by themselves, with what they did; each asked for once."""
    wanted: dict[str, tuple[Scenario, dict[str, None]]] = {}
    names: dict[str, str] = {}
    for one in suspects:
        for part in parts_of(one.scenario):
            scenario = made(one.scenario, part)
            key = repr(replace(scenario, name=part, fields={}, faults=frozenset())) + str(sorted(scenario.faults))
            names[key] = part
            wanted.setdefault(key, (scenario, {}))[1][one.outcome.section] = None
    told = trial([(scenario, list(sections)) for scenario, sections in wanted.values()])
    found: dict[str, dict[str, Outcome]] = defaultdict(dict)
    for key, outcomes in zip(wanted, told, strict=True):
        for section, outcome in outcomes.items():
            if outcome.state is State.BROKEN:
                found[section].setdefault(names[key], outcome)
    return found


def _healed(suspects: Sequence[_Suspect], trial: Trial) -> dict[str, tuple[str, ...]]:
    """By section: the conditions without which it holds, where it still breaks with all of them."""
    first: dict[str, _Suspect] = {}
    for one in suspects:
        first.setdefault(one.outcome.section, one)
    asked: list[tuple[Scenario, Collection[str]]] = []
    parts: list[tuple[str, str]] = []
    for section, one in first.items():
        asked.append((one.scenario, [section]))
        parts.append((section, ""))
        for part in parts_of(one.scenario):
            asked.append((without(one.scenario, {part}), [section]))
            parts.append((section, part))
    states = {key: told[key[0]].state for key, told in zip(parts, trial(asked), strict=True) if key[0] in told}
    return {section: tuple(part for (other, part), state in states.items()
                           if other == section and part and state in {State.OK, State.SLOW})
            for section in first if states.get((section, "")) is State.BROKEN}


def _blame(
    section: str, group: Sequence[_Suspect], alone: Mapping[str, Outcome], healed: tuple[str, ...],
) -> Blame:
    shown = next(iter(alone.values()), group[0].outcome)
    return Blame(section=section, conditions=tuple(alone) or healed, together=not alone and len(healed) > 1,
                 reason=shown.reason, call=shown.call, scenarios=tuple(one.outcome.scenario for one in group))
