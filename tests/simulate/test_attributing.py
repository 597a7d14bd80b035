"""Which condition is to blame when many hold at once."""

from __future__ import annotations

from windtunnel.core.simulation import Blame, Outcome, State
from windtunnel.engine.simulate.attributing import blames
from windtunnel.scenarios.parts import parts_of
from windtunnel.scenarios.preset import scenario

MIXED = scenario({"SCENARIO_NAME": "mixed", "CPU_LIMIT": 0.5, "NETWORK_LATENCY_MS": 100,
                  "FAILURE_MODES": ["disk_full", "clock_jump"]})


class World:
    """Sections that break when a rule says so, with a count of what was asked."""

    def __init__(self, **breaks):
        self.breaks = breaks
        self.asked = []

    def __call__(self, asked):
        self.asked += [(parts_of(one), tuple(sections)) for one, sections in asked]
        return [{name: self.told(one, name) for name in sections} for one, sections in asked]

    def told(self, one, name):
        broken = self.breaks[name](set(parts_of(one)))
        return Outcome(section=name, scenario=one.name, state=State.BROKEN if broken else State.OK,
                       reason="raises E" if broken else "")


def blamed(world, *names):
    broken = [Outcome(section=name, scenario="mixed", state=State.BROKEN, reason="seen") for name in names]
    return blames(broken, [MIXED], trial=world)


def test_the_one_condition_that_breaks_it_alone_is_blamed():
    world = World(f=lambda parts: "FAILURE_MODES:disk_full" in parts)

    assert blamed(world, "f") == (
        Blame(section="f", conditions=("FAILURE_MODES:disk_full",), reason="raises E", scenarios=("mixed",)),)


def test_each_of_several_that_break_it_alone_is_blamed():
    world = World(f=lambda parts: parts & {"CPU_LIMIT", "NETWORK_LATENCY_MS"})

    assert blamed(world, "f")[0].conditions == ("CPU_LIMIT", "NETWORK_LATENCY_MS")


def test_conditions_that_break_it_only_together_are_blamed_together():
    world = World(f=lambda parts: {"CPU_LIMIT", "NETWORK_LATENCY_MS"} <= parts)

    assert blamed(world, "f") == (Blame(section="f", conditions=("CPU_LIMIT", "NETWORK_LATENCY_MS"), together=True,
                                        reason="seen", scenarios=("mixed",)),)


def test_what_no_longer_breaks_is_blamed_on_nothing():
    assert blamed(World(f=lambda _: False), "f")[0].conditions == ()


def test_two_sections_of_one_scenario_are_tried_together():
    world = World(f=lambda parts: "CPU_LIMIT" in parts, g=lambda parts: "CPU_LIMIT" in parts)

    blamed(world, "f", "g")

    assert world.asked == [((part,), ("f", "g")) for part in parts_of(MIXED)]
