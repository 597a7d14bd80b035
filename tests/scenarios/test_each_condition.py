"""The scenarios that are tried where none are given."""

from __future__ import annotations

from windtunnel.scenarios.each import each_condition
from windtunnel.scenarios.reality import unreal


def test_each_condition_can_be_made_real_where_there_is_a_simulated_network():
    assert [(one.name, [left.name for left in unreal(one, levels=("process",))]) for one in each_condition()
            if unreal(one, levels=("process",))] == []
