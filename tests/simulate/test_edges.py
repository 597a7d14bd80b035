"""From which value on a condition breaks a section: with a made-up answer, and in real sandboxes."""

from __future__ import annotations

import itertools

import pytest

from windtunnel import Tunnel
from windtunnel.cli.simulate import shown
from windtunnel.core.limits import MIB, Limits
from windtunnel.core.scenario import Edge
from windtunnel.core.simulation import Blame, Outcome, SectionEdge, Simulation, State
from windtunnel.engine.simulate.edges import STEPS, Bounds, edges_of, unasked, words_of
from windtunnel.scenarios.preset import scenario

USUAL = Limits(memory_bytes=1024 * MIB, cores=1.0)


def blamed(fields, *conditions, together=False):
    one = scenario({"SCENARIO_NAME": "hard", **fields})
    blame = Blame(section="a.py:f", conditions=conditions, together=together, scenarios=("hard",))
    return Simulation(project="/p", seed=0, scenarios=(one,), blames=(blame,))


def under(breaks):
    """What a course does, with an answer that is made up."""
    def run(asked, _repeats):
        return [{name: Outcome(section=name, scenario=one.name, state=State.BROKEN if breaks(one) else State.OK)
                 for name in sections} for one, sections in asked]

    return run


def searched(made, breaks, *, most=20, seconds=60.0):
    return edges_of(made, under=under(breaks), bounds=Bounds(usual=USUAL, call_seconds=5.0, most=most, seconds=seconds))


def test_the_edge_of_a_limit_lies_between_the_two_values_that_are_told():
    (found,) = searched(blamed({"MEMORY_LIMIT": "16Mi"}, "MEMORY_LIMIT"), lambda one: one.memory_bytes < 100 * MIB)

    assert found.edge.breaks < 100 * MIB <= found.edge.holds <= 1.02 * found.edge.breaks
    assert found.edge.probes == 2 + STEPS


def test_the_edge_of_a_delay_is_searched_from_no_delay_on():
    (found,) = searched(blamed({"NETWORK_LATENCY_MS": 512}, "NETWORK_LATENCY_MS"),
                        lambda one: one.link.delay_seconds > 0.1)

    assert found == SectionEdge(
        section="a.py:f", edge=Edge(field="NETWORK_LATENCY_MS", holds=100.0, breaks=102.0, probes=10),
        words="breaks at NETWORK_LATENCY_MS 102 and more, holds at 100")


def test_other_conditions_of_the_scenario_are_left_out():
    made = blamed({"MEMORY_LIMIT": "16Mi", "FAILURE_MODES": "disk_full"}, "MEMORY_LIMIT")

    (found,) = searched(made, lambda one: not one.faults and one.memory_bytes < 100 * MIB)

    assert found.edge.breaks is not None


def test_an_end_that_answers_now_and_then_is_told_as_unsteady():
    turn = itertools.cycle((True, False))

    (found,) = searched(blamed({"PACKET_LOSS": 10}, "PACKET_LOSS"), lambda _: next(turn))

    assert found == SectionEdge(
        section="a.py:f", edge=Edge(field="PACKET_LOSS", holds=None, breaks=None, probes=1),
        words="unsteady under PACKET_LOSS: with hard it breaks 2 of 3 times")


@pytest.mark.parametrize(("breaks", "words"), [
    (False, "unsteady under CPU_LIMIT: alone it no longer breaks"),
    (True, "unsteady under CPU_LIMIT: it breaks at the mildest value too")])
def test_what_does_not_change_between_the_ends_has_no_edge(breaks, words):
    (found,) = searched(blamed({"CPU_LIMIT": 0.1}, "CPU_LIMIT"), lambda _: breaks)

    assert (found.words, found.edge.breaks) == (words, None)


def test_a_section_that_could_not_be_run_is_not_taken_for_one_that_holds():
    made = blamed({"CPU_LIMIT": 0.1}, "CPU_LIMIT")

    (found,) = edges_of(made, under=lambda asked, _: [{} for _ in asked], bounds=Bounds(usual=USUAL, call_seconds=5.0))

    assert found.words == "unsteady under CPU_LIMIT: nothing was heard of it"


@pytest.mark.parametrize(("conditions", "together"), [
    (("FAILURE_MODES:disk_full",), False), (("CPU_LIMIT", "MEMORY_LIMIT"), True), ((), False)])
def test_what_has_no_order_or_takes_several_conditions_is_not_searched(conditions, together):
    fields = {"CPU_LIMIT": 0.1, "MEMORY_LIMIT": "64Mi", "FAILURE_MODES": "disk_full"}

    assert searched(blamed(fields, *conditions, together=together), lambda _: True) == ()


def test_no_more_are_searched_than_asked_for_and_the_rest_is_counted():
    made = blamed({"CPU_LIMIT": 0.1, "PACKET_LOSS": 10}, "CPU_LIMIT", "PACKET_LOSS")

    assert (len(searched(made, lambda _: True, most=1)), unasked(made, most=1), unasked(made, most=2)) == (1, 1, 0)


def test_when_the_time_is_over_what_was_found_so_far_is_told():
    (found,) = searched(blamed({"PACKET_LOSS": 10}, "PACKET_LOSS"), lambda one: one.link.loss > 0.04, seconds=-1.0)

    assert found == SectionEdge(
        section="a.py:f", edge=Edge(field="PACKET_LOSS", holds=0.0, breaks=10.0, probes=2),
        words="breaks at PACKET_LOSS 10 and more, holds at 0, as far as -1 s let search")


@pytest.mark.parametrize(("edge", "words"), [
    (Edge(field="MEMORY_LIMIT", holds=52.0 * MIB, breaks=48.0 * MIB, probes=1),
     "breaks at MEMORY_LIMIT 48 MiB and less, holds at 52 MiB"),
    (Edge(field="BANDWIDTH_LIMIT", holds=2e6, breaks=1.5e6, probes=1),
     "breaks at BANDWIDTH_LIMIT 1.5 Mbit/s and less, holds at 2 Mbit/s")])
def test_an_edge_is_told_in_units_that_people_read(edge, words):
    assert words_of(edge) == words


WORK = """
def table() -> int:
    cells = bytearray(64 * 1024 * 1024)
    return len(cells)


def double(n: int) -> int:
    return 2 * n
"""
SHARE = 0.75
"""Of MEMORY_LIMIT, what the process of one call may grow by."""


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    folder = tmp_path_factory.mktemp("work")
    (folder / "work.py").write_text(WORK)
    return folder


@pytest.fixture(scope="module")
def made(work):
    with Tunnel(pool_size=0) as tunnel:
        return tunnel.simulate(work, presets=[{"MEMORY_LIMIT": "48Mi"}], edges=True, measure=False)


def test_the_memory_that_a_function_needs_is_found_within_a_tenth_and_a_sound_one_has_no_edge(made):
    (found,) = made.edges

    assert (found.section, found.edge.field) == ("work.py:table", "MEMORY_LIMIT")
    assert [SHARE * value / MIB for value in (found.edge.breaks, found.edge.holds)] == pytest.approx([64, 64], rel=0.1)


def test_the_edge_stands_below_what_breaks(made):
    lines = list(shown(made))

    assert f"work.py:table  {made.edges[0].words}" in "\n".join(lines)
