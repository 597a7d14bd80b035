"""Control groups version 2 as systemd lays them out, on a real kernel: one boot tells all, each test reads one fact."""

from __future__ import annotations

import pytest
from vm_machine import Told, facts

from windtunnel.core.limits import MIB

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.xdist_group("vm")]
with_groups = pytest.mark.parametrize("who", ["root", "delegated"])
CONTROLS = ("memory", "processes", "cores", "cpu weight", "swap", "cpu time")


@pytest.mark.parametrize(("who", "parent"), [
    ("root", "system.slice"),
    ("delegated", "user.slice/user-1001.slice/user@1001.service/app.slice"),
])
def test_groups_of_version_2_are_found_beside_the_callers_own(told: Told, who: str, parent: str) -> None:
    assert told.fact(who, "found") == {"version": 2, "parent": parent}


@with_groups
def test_a_program_runs_and_every_limit_is_the_groups(told: Told, who: str) -> None:
    assert told.fact(who, "hello") == {
        "stdout": "1\n", "reason": "exited", "level": "process", "enforced": dict.fromkeys(CONTROLS, "cgroup v2")}


@with_groups
def test_too_much_memory_ends_the_run_and_enough_of_it_does_not(told: Told, who: str) -> None:
    assert told.fact(who, "memory") == [["out_of_memory", ""], ["exited", "kept"]]


@with_groups
def test_too_many_processes_are_refused_and_few_are_not(told: Told, who: str) -> None:
    assert told.fact(who, "processes") == [["too_many_processes", ""], ["exited", "forked"]]


@with_groups
def test_too_much_processor_time_ends_the_run_and_less_does_not(told: Told, who: str) -> None:
    assert told.fact(who, "cpu_time") == [["cpu_time", ""], ["exited", "burned"]]


@with_groups
def test_half_a_core_is_half_of_the_processor_time(told: Told, who: str) -> None:
    half, whole = told.fact(who, "cores")

    assert 0.4 < half < 0.6
    assert whole > 0.65


@with_groups
def test_a_waiting_sandbox_gets_the_limit_of_its_run(told: Told, who: str) -> None:
    assert told.fact(who, "warm") == {"warm": True, "reason": "out_of_memory", "memory": "cgroup v2"}


@with_groups
def test_the_use_of_a_run_is_counted_by_its_group(told: Told, who: str) -> None:
    used = told.fact(who, "usage")

    assert 0.5 <= used["cpu_seconds"] < 10
    assert 32 * MIB < used["memory_peak_bytes"] < 128 * MIB
    assert used["processes_peak"] == (2 if used["kernel_counts_peak"] else None)
    assert used["disk_bytes"] > 0


@with_groups
def test_no_group_is_left_when_all_is_closed(told: Told, who: str) -> None:
    assert told.fact(who, "left") == {"during": 2, "after": []}


@with_groups
def test_the_groups_of_a_killed_supervisor_are_swept_by_the_next_look(told: Told, who: str) -> None:
    assert told.fact(who, "crash") == {"begun": "begun\n", "before": 1, "after": []}


@with_groups
@pytest.mark.parametrize("row", ["R01", "R02", "R05", "R16", "F11", "K16"])
def test_the_row_of_the_conformance_suite_holds(told: Told, who: str, row: str) -> None:
    outcome, evidence = told.fact(who, "rows")[row]

    assert outcome == "held", evidence


def test_an_ordinary_user_without_delegation_has_no_groups(told: Told) -> None:
    assert told.fact("undelegated", "found") is None


def test_without_groups_a_program_still_runs_and_the_result_says_who_holds_the_limits(told: Told) -> None:
    by = {"memory": "supervisor", "processes": "rlimit per user namespace", "cpu time": "supervisor and rlimit"}

    assert told.fact("undelegated", "hello") == {
        "stdout": "1\n", "reason": "exited", "level": "process", "enforced": dict.fromkeys(CONTROLS) | by}


def test_without_groups_half_a_core_is_not_held_and_not_claimed(told: Told) -> None:
    half, whole = told.fact("undelegated", "cores")

    assert half > 0.65
    assert whole > 0.65
    assert told.fact("undelegated", "hello")["enforced"]["cores"] is None


def test_without_groups_the_supervisor_ends_a_run_for_its_memory(told: Told) -> None:
    assert told.fact("undelegated", "memory") == [["out_of_memory", ""], ["exited", "kept"]]


def test_without_groups_nothing_is_made_that_could_be_left(told: Told) -> None:
    assert told.fact("undelegated", "left") == {"during": 0, "after": []}


def test_only_lines_with_the_token_are_believed() -> None:
    bare = '{"who": "root", "check": "found", "value": %d}'

    assert facts(f"{bare % 1}\r\nother {bare % 2}\r\nt0 {bare % 3}\r\n", token="t0") == {("root", "found"): 3}


def test_a_check_that_told_nothing_fails_with_the_console() -> None:
    with pytest.raises(AssertionError, match="Kernel panic"):
        Told(console="Kernel panic - not syncing").fact("root", "found")
