"""Presets of a cycle go toward the edges that the one before found; with a simulation that is made up."""

from __future__ import annotations

from windtunnel.core.scenario import Edge
from windtunnel.core.simulation import SectionEdge, Simulation
from windtunnel.engine.cycles.course import Work, run
from windtunnel.engine.cycles.records import OBJECTIVE, edges_in, record_of
from windtunnel.engine.cycles.tried import Looked
from windtunnel.engine.recovery.journal import Journal
from windtunnel.scenarios.preset import scenario

EDGE = Edge(field="NETWORK_LATENCY_MS", holds=90.0, breaks=100.0, probes=10)


def test_the_presets_of_the_next_cycle_go_toward_the_edge_that_the_last_one_found(tmp_path):
    seen = []

    def simulate(folder, scenarios, seed):
        seen.append([one.link.delay_seconds for one in scenarios])
        return Simulation(project=str(folder), seed=seed, scenarios=scenarios,
                          edges=(SectionEdge(section="a.py:f", edge=EDGE, words=""),))

    (tmp_path / "project").mkdir()
    work = Work(project=tmp_path / "project", simulate=simulate, objective=OBJECTIVE, max_iterations=3,
                scenarios=lambda _: (scenario({"NETWORK_LATENCY_MS": 500}),), improve=lambda *_: Looked())
    with Journal.begin(tmp_path / "data" / "runs" / "0001", seed=0) as journal:
        run(journal, work, data=tmp_path / "data")

    assert seen == [[0.5], [0.3], [0.2]]


def test_edges_come_back_from_a_record_and_those_without_values_are_not_written():
    none = Edge(field="CPU_LIMIT", holds=None, breaks=None, probes=1)

    assert edges_in(record_of([], predicted={}, edges=[EDGE, none])) == (EDGE,)


def test_a_record_of_before_edges_were_searched_for_has_none():
    assert edges_in({"cycles": [], "predicted": {}, "kept": []}) == ()
