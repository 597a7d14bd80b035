"""Simulations are acts like all others: asked of the policy, within its walls, and written down."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

import pytest

from windtunnel import IsolationUnavailable, Refused, Tunnel, config
from windtunnel.core.audit import AuditQuery
from windtunnel.engine.cycles.records import OBJECTIVE
from windtunnel.engine.simulate.workflows import WorkflowsAsked
from windtunnel.scenarios.preset import read_presets
from windtunnel.store.audit.query import find

DENY = ("version: 1\ndefault: allow\nrules:\n"
        "  - {id: calm, effect: deny, tool: [simulate, full-autonomous-run], reason: not here}\n")
STRONG = "version: 1\ndefault: allow\nmin_isolation: vm\n"
PRESETS = [{"SCENARIO_NAME": "half", "CPU_LIMIT": 0.5}]


@pytest.fixture
def under(tmp_path):
    """A tunnel under this policy, and each way to simulate."""
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "one.py").write_text("def one() -> int:\n    return 1\n")
    with sqlite3.connect(tmp_path / "workflows.db") as database:
        database.execute("CREATE TABLE workflows (id INTEGER PRIMARY KEY, workflow TEXT, title TEXT, task_sequence TEXT)")
        database.execute("INSERT INTO workflows (workflow, title, task_sequence) VALUES ('one:one', 'one', '')")

    def acts(policy):
        (tmp_path / "policy.yaml").write_text(policy)
        settings = replace(config.load(), state_dir=tmp_path / "state", cache_dir=tmp_path / "cache", pool_size=0,
                           policy=tmp_path / "policy.yaml")
        tunnel = Tunnel(settings)
        project = tmp_path / "project"
        return tunnel, {
            "simulate": lambda: tunnel.simulate(project, presets=PRESETS, measure=False),
            "workflows": lambda: tunnel.simulate_workflows(WorkflowsAsked(
                project=project, database=tmp_path / "workflows.db", objective=OBJECTIVE,
                scenarios=read_presets(PRESETS, source="test"))),
            "cycles": lambda: tunnel.cycles.run(project, presets=PRESETS, max_iterations=1, improve=False,
                                                data=str(tmp_path / "data"))}

    return acts


@pytest.mark.parametrize("way", ["simulate", "workflows", "cycles"])
def test_what_a_policy_denies_is_not_done_and_is_written_down(under, way):
    tunnel, acts = under(DENY)
    with tunnel:
        with pytest.raises(Refused, match="not here"):
            acts[way]()

        assert [record.entry.outcome for record in find(tunnel.audit, AuditQuery())] == ["denied"]


@pytest.mark.parametrize("way", ["simulate", "workflows", "cycles"])
def test_a_floor_of_isolation_is_never_gone_below(under, way):
    tunnel, acts = under(STRONG)
    with tunnel, pytest.raises(IsolationUnavailable, match="at least the vm level"):
        acts[way]()


@pytest.mark.parametrize("way", ["simulate", "workflows", "cycles"])
def test_what_is_done_is_written_down(under, way):
    tunnel, acts = under("version: 1\ndefault: allow\n")
    with tunnel:
        acts[way]()

        kinds = [(record.entry.kind, record.entry.outcome) for record in find(tunnel.audit, AuditQuery())]
    assert kinds == [("full-autonomous-run" if way == "cycles" else "simulate", "done")]
