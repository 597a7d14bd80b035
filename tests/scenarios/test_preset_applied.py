from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.core.errors import UsageError
from windtunnel.core.limits import MIB, Limits
from windtunnel.core.scenario import NETWORK_FAULTS, Condition, Fault, Link, Outside, Scenario
from windtunnel.scenarios.applied import (
    Machine,
    environment_for,
    limits_for,
    only,
    outside_for,
    parts_of,
    read_only_for,
    unreal,
    without,
)
from windtunnel.scenarios.fields import FIELDS
from windtunnel.scenarios.generate import generate_presets
from windtunnel.scenarios.preset import preset, scenario
from windtunnel.scenarios.reality import this_machine
from windtunnel.scenarios.security import SECURITY_LEVELS

LARGE = Machine(processors=64, memory_bytes=2**40)
FULL = {"CPU_LIMIT": 0.5, "MEMORY_LIMIT": "256Mi", "DISK_LIMIT": "64Mi", "TIMEOUT": 5, "NETWORK_LATENCY_MS": 100,
        "NETWORK_JITTER_MS": 10, "PACKET_LOSS": 5, "PACKET_DUPLICATION": 1, "PACKET_REORDERING": 5,
        "BANDWIDTH_LIMIT": "5Mbps", "SECURITY_LEVEL": 3, "THREAT_INTENSITY": 30, "FAILURE_MODES": ["cpu", "dns"],
        "ENVIRONMENT": {"A": "1"}}
FULL_PARTS = ("CPU_LIMIT", "MEMORY_LIMIT", "DISK_LIMIT", "TIMEOUT", "NETWORK_LATENCY_MS", "NETWORK_JITTER_MS",
              "PACKET_LOSS", "PACKET_DUPLICATION", "PACKET_REORDERING", "BANDWIDTH_LIMIT", "SECURITY_LEVEL",
              "THREAT_INTENSITY", "ENVIRONMENT", "FAILURE_MODES:cpu_spike", "FAILURE_MODES:dns_failure")
GENERATED = generate_presets(20, seed=8)


def reasons(given, *, levels=("process", "vm"), machine=LARGE):
    return {one.name: one.reason for one in unreal(scenario(given), levels=levels, machine=machine)}


def test_a_scenario_that_asks_for_nothing_leaves_the_limits_as_they_are():
    assert limits_for(scenario({}), Limits()) == Limits()


def test_what_is_asked_for_takes_the_place_of_the_usual_limit():
    asked = scenario({"CPU_LIMIT": 2, "MEMORY_LIMIT": "1Gi", "DISK_LIMIT": "512Mi", "TIMEOUT": 7})

    assert limits_for(asked, Limits(cpu_seconds=3.0)) == Limits(
        cpu_seconds=3.0, cores=2.0, memory_bytes=1024 * MIB, disk_bytes=512 * MIB, wall_seconds=7.0)


@pytest.mark.parametrize(("mode", "limits"), [
    ("few_file_descriptors", Limits(open_files=16)), ("memory", Limits(memory_bytes=128 * MIB)),
    ("disk", Limits(disk_bytes=16 * MIB)), ("cpu_spike", Limits())])
def test_faults_that_are_limits_become_limits(mode, limits):
    assert limits_for(scenario({"FAILURE_MODES": mode}), Limits()) == limits


def test_a_fault_never_raises_a_limit():
    small = Limits(memory_bytes=64 * MIB, disk_bytes=2 * MIB)

    assert limits_for(scenario({"FAILURE_MODES": ["memory", "disk"]}), small) == small


@pytest.mark.parametrize("level", SECURITY_LEVELS)
def test_a_level_of_security_lowers_limits_to_its_own_and_raises_none(level):
    walls = SECURITY_LEVELS[level]
    wide = Limits(processes=10_000, open_files=60_000, files=10**6, disk_bytes=2**34)
    tight = Limits(processes=4, open_files=16, files=64, disk_bytes=MIB)
    asked = scenario({"SECURITY_LEVEL": level})

    assert limits_for(asked, wide) == replace(
        wide, processes=walls.processes, open_files=walls.open_files, files=walls.files, disk_bytes=walls.disk_bytes)
    assert limits_for(asked, tight) == tight


def test_a_limit_that_no_run_can_have_is_a_typed_error():
    with pytest.raises(UsageError, match="memory_bytes: out of range"):
        limits_for(Scenario(name="x", memory_bytes=1), Limits())


@pytest.mark.parametrize(("given", "read_only"), [
    ({}, {True: True, False: False}), ({"SECURITY_LEVEL": 2}, {True: False, False: False}),
    ({"SECURITY_LEVEL": 3}, {True: True, False: True}),
    ({"SECURITY_LEVEL": 1, "FAILURE_MODES": "read_only_disk"}, {True: True, False: True})])
def test_levels_and_the_fault_say_whether_the_workspace_can_be_written(given, read_only):
    assert {usual: read_only_for(scenario(given), usual=usual) for usual in (True, False)} == read_only


@pytest.mark.parametrize(("given", "outside"), [
    ({}, None), ({"CPU_LIMIT": 1, "FAILURE_MODES": "disk"}, None), ({"SECURITY_LEVEL": 5, "PACKET_LOSS": 5}, None),
    ({"SECURITY_LEVEL": 4}, Outside(seed=9)), ({"NETWORK_LATENCY_MS": 0}, Outside(seed=9)),
    ({"FAILURE_MODES": "timeout,disk"}, Outside(faults=frozenset({Fault.TIMEOUT}), seed=9)),
    ({"PACKET_LOSS": 5}, Outside(link=Link(loss=0.05), seed=9))])
def test_there_is_an_outside_where_something_asks_for_one(given, outside):
    assert outside_for(scenario(given), seed=9) == outside


def test_a_program_finds_the_preset_in_its_environment():
    asked = scenario({"CPU_LIMIT": 0.5, "MEMORY_LIMIT": 64 * MIB, "FAILURE_MODES": ["disk", "cpu"], "OS_TYPE": "macos",
                      "VM_SETTINGS": {"cores": 2}, "ENVIRONMENT": {"MODE": "test", "CPU_LIMIT": "mine"}})

    assert environment_for(asked) == {
        "SCENARIO_NAME": "cpu_spike disk_full cpu-0.5 memory-64Mi +2", "CPU_LIMIT": "mine", "MEMORY_LIMIT": "64Mi",
        "FAILURE_MODES": "cpu_spike,disk_full", "OS_TYPE": "macos", "VM_SETTINGS": '{"cores": "2"}', "MODE": "test"}


def test_what_a_program_finds_in_its_environment_can_be_read_as_a_preset():
    found = environment_for(without(scenario(FULL), ["ENVIRONMENT"]))

    assert preset(scenario(found)) == preset(without(scenario(FULL), ["ENVIRONMENT"]))


def test_the_parts_of_a_scenario_are_its_conditions_by_name():
    assert parts_of(scenario(FULL)) == FULL_PARTS


@pytest.mark.parametrize("given", [
    {}, {"NETWORK_LATENCY_MS": 0, "PACKET_LOSS": 0, "THREAT_INTENSITY": 0, "OS_TYPE": "linux", "FAILURE_MODES": "none"}])
def test_what_is_as_usual_is_no_part(given):
    assert parts_of(scenario(given)) == ()


def test_other_systems_are_parts():
    assert parts_of(scenario({"OS_TYPE": "macos", "VM_SETTINGS": {"macos_image": "m"}})) == ("OS_TYPE", "VM_SETTINGS")


@pytest.mark.parametrize("part", FULL_PARTS)
def test_a_part_taken_away_leaves_all_others(part):
    assert parts_of(without(scenario(FULL), [part])) == tuple(name for name in FULL_PARTS if name != part)


@pytest.mark.parametrize("part", FULL_PARTS)
def test_a_part_alone_keeps_its_value_and_the_outside_stays_in_reach(part):
    alone = only(scenario(FULL), [part])
    written = preset(alone)

    assert parts_of(alone) == (part,)
    assert outside_for(alone) is not None
    if not part.startswith("FAILURE_MODES"):
        assert written[part] == preset(scenario(FULL))[part]


def test_all_parts_taken_away_leave_the_usual_with_an_outside():
    bare = without(scenario(FULL), FULL_PARTS)

    assert replace(bare, fields={}) == Scenario(name="usual", link=Link())


def test_the_level_without_a_network_taken_away_leaves_none_where_nothing_asked_for_it():
    assert outside_for(without(scenario({"SECURITY_LEVEL": 5}), ["SECURITY_LEVEL"])) is None


def test_hostile_words_go_with_the_intensity_that_they_ask_for():
    both = scenario({"FAILURE_MODES": "hostile_input,disk"})

    assert parts_of(both) == ("THREAT_INTENSITY", "FAILURE_MODES:disk_full")
    assert preset(without(both, ["THREAT_INTENSITY"])) == {"SCENARIO_NAME": "disk_full", "FAILURE_MODES": ["disk_full"]}
    assert preset(without(both, ["FAILURE_MODES:disk_full"])) == {"SCENARIO_NAME": "threat-50", "THREAT_INTENSITY": 50}


def test_a_range_of_rates_goes_with_the_rate():
    ranged = scenario({"MIN_BANDWIDTH": "1Mbps", "MAX_BANDWIDTH": "9Mbps"})

    assert parts_of(ranged) == ("BANDWIDTH_LIMIT",)
    assert preset(without(ranged, ["BANDWIDTH_LIMIT"])) == {"SCENARIO_NAME": "usual", "NETWORK_LATENCY_MS": 0}


def test_a_name_that_was_given_stays_with_the_rest():
    named = scenario({"SCENARIO_NAME": "mine", "CPU_LIMIT": 1, "MEMORY_LIMIT": "64Mi"})

    assert only(named, ["CPU_LIMIT"]).name == "mine"
    assert only(scenario({"CPU_LIMIT": 1, "MEMORY_LIMIT": "64Mi"}), ["CPU_LIMIT"]).name == "cpu-1"


@pytest.mark.parametrize("act", [only, without])
def test_a_part_that_is_not_there_is_refused(act):
    with pytest.raises(UsageError, match=r"there is no condition 'PACKET_LOSS' in 'cpu-1' \(there are: CPU_LIMIT\)"):
        act(scenario({"CPU_LIMIT": 1}), ["PACKET_LOSS"])


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(GENERATED), st.data())
def test_parts_kept_and_parts_gone_are_all_parts(one, data):
    kept = data.draw(st.sets(st.sampled_from(parts_of(one))))

    assert only(one, kept) == without(one, set(parts_of(one)) - kept)
    assert set(parts_of(only(one, kept))) == kept


def test_a_scenario_that_can_be_made_has_nothing_unreal():
    assert unreal(scenario(FULL), levels=["process"], machine=LARGE) == ()


@pytest.mark.parametrize(("given", "levels", "reason"), [
    ({"OS_TYPE": "windows"}, ("vm",), "VM_SETTINGS names no windows_image; the run is on linux"),
    ({"OS_TYPE": "windows", "VM_SETTINGS": {"macos_image": "m"}}, ("vm",),
     "VM_SETTINGS names no windows_image; the run is on linux"),
    ({"OS_TYPE": "macos", "VM_SETTINGS": {"macos_image": "m"}}, ("process",),
     "no virtual machine can be started here; the run is on linux"),
    ({"OS_TYPE": "macos", "VM_SETTINGS": {"macos_image": "m"}}, ("process", "vm"),
     "such a disk can be started, but no function can be called in it; the run is on linux")])
def test_another_system_is_said_not_to_be_real(given, levels, reason):
    assert reasons(given, levels=levels) == dict.fromkeys(parts_of(scenario(given)), reason)


def test_machine_settings_without_another_system_are_said_to_do_nothing():
    assert reasons({"VM_SETTINGS": {"cores": 2}}) == {
        "VM_SETTINGS": "OS_TYPE is linux, which needs no disk of another system"}


def test_a_condition_that_is_not_real_says_what_was_asked():
    assert unreal(scenario({"VM_SETTINGS": {"cores": 2, "memory": "4Gi"}}), levels=[], machine=LARGE) == (Condition(
        name="VM_SETTINGS", requested="cores=2, memory=4Gi", measured="", real=False,
        reason="OS_TYPE is linux, which needs no disk of another system"),)


@pytest.mark.parametrize(("given", "wanted"), [
    ({"CPU_LIMIT": 4}, {"CPU_LIMIT": "there are 2 processors here"}),
    ({"MEMORY_LIMIT": "4Gi"}, {"MEMORY_LIMIT": "there are 2048Mi of memory here"}),
    ({"MEMORY_LIMIT": "512Mi", "FAILURE_MODES": "memory"}, {"MEMORY_LIMIT": "memory_pressure leaves 128Mi"}),
    ({"DISK_LIMIT": "256Mi", "FAILURE_MODES": "memory"},
     {"DISK_LIMIT": "files lie in memory, of which memory_pressure leaves 128Mi"}),
    ({"DISK_LIMIT": "512Mi", "MEMORY_LIMIT": "128Mi"}, {"DISK_LIMIT": "files lie in memory, of which there are 128Mi"}),
    ({"DISK_LIMIT": "1Gi"}, {"DISK_LIMIT": "files lie in memory, of which there are 512Mi"}),
    ({"DISK_LIMIT": "64Mi", "FAILURE_MODES": "disk"}, {"DISK_LIMIT": "disk_full fills a disk of 16Mi"}),
    ({"DISK_LIMIT": "64Mi", "SECURITY_LEVEL": 5}, {"DISK_LIMIT": "SECURITY_LEVEL 5 leaves 16Mi"}),
    ({"CPU_LIMIT": 2, "MEMORY_LIMIT": "2Gi", "DISK_LIMIT": "1Gi"}, {})])
def test_sizes_that_something_else_bounds_are_said_not_to_be_real(given, wanted):
    assert reasons(given, machine=Machine(processors=2, memory_bytes=2048 * MIB)) == wanted


def test_a_disk_within_the_usual_memory_is_real():
    assert unreal(scenario({"DISK_LIMIT": "1Gi"}), levels=[], machine=LARGE, base=Limits(memory_bytes=1024 * MIB)) == ()


def test_a_level_without_a_network_says_so_of_every_field_of_it():
    given = {"SECURITY_LEVEL": 5, "NETWORK_LATENCY_MS": 10, "PACKET_LOSS": 5, "FAILURE_MODES": "timeout"}

    assert reasons(given) == dict.fromkeys(
        ("NETWORK_LATENCY_MS", "PACKET_LOSS", "FAILURE_MODES:timeout"), "SECURITY_LEVEL 5 leaves no network")


def test_only_sandboxes_with_a_network_of_their_own_have_an_outside():
    found = reasons({"PACKET_LOSS": 5, "FAILURE_MODES": "dns,disk"}, levels=["restricted", "container"])

    assert found == dict.fromkeys(
        ("PACKET_LOSS", "FAILURE_MODES:dns_failure"),
        "only sandboxes of the level process have a simulated network, and there are none here")


def test_a_partition_leaves_nothing_to_be_late():
    assert reasons({"NETWORK_LATENCY_MS": 10, "BANDWIDTH_LIMIT": "1Mbps", "FAILURE_MODES": "partition"}) == dict.fromkeys(
        ("NETWORK_LATENCY_MS", "BANDWIDTH_LIMIT"), "partition lets nothing arrive")


def test_without_a_delay_nothing_is_overtaken():
    assert reasons({"PACKET_REORDERING": 5}) == {
        "PACKET_REORDERING": "without NETWORK_LATENCY_MS nothing can be overtaken"}


def test_a_range_beside_a_rate_is_said_to_do_nothing():
    given = {"MIN_BANDWIDTH": "1Mbps", "MAX_BANDWIDTH": "9Mbps", "BANDWIDTH_LIMIT": "5Mbps"}

    assert reasons(given) == dict.fromkeys(("MIN_BANDWIDTH", "MAX_BANDWIDTH"), "BANDWIDTH_LIMIT takes its place")


def test_this_machine_has_processors_and_memory():
    machine = this_machine()

    assert machine.processors >= 1
    assert machine.memory_bytes >= 64 * MIB


def test_every_fault_of_the_network_reaches_the_outside():
    asked = scenario({"FAILURE_MODES": [str(fault) for fault in Fault]})

    assert outside_for(asked) == Outside(faults=NETWORK_FAULTS)


@pytest.mark.parametrize(("name", "value"), [
    ("CPU_LIMIT", 2), ("MEMORY_LIMIT", "64Mi"), ("DISK_LIMIT", "64Mi"), ("TIMEOUT", 3), ("NETWORK_LATENCY_MS", 5),
    ("NETWORK_JITTER_MS", 5), ("PACKET_LOSS", 5), ("PACKET_DUPLICATION", 5), ("PACKET_REORDERING", 5),
    ("BANDWIDTH_LIMIT", "5Mbps"), ("MIN_BANDWIDTH", "5Mbps"), ("MAX_BANDWIDTH", "5Mbps"), ("SECURITY_LEVEL", 2),
    ("THREAT_INTENSITY", 5), ("FAILURE_MODES", "disk"), ("OS_TYPE", "windows"), ("VM_SETTINGS", {"cores": 2}),
    ("ENVIRONMENT", {"A": "1"})])
def test_each_field_reaches_the_run_or_is_said_not_to(name, value):
    asked, usual = scenario({name: value}), scenario({})
    reached = [
        limits_for(asked, Limits()) != limits_for(usual, Limits()), outside_for(asked) != outside_for(usual),
        asked.threat_intensity != usual.threat_intensity, asked.environment != usual.environment,
        asked.faults != usual.faults]

    said = unreal(asked, levels=["process"], machine=LARGE)

    assert any(reached) or [one.name for one in said] == [name]


def test_every_field_but_the_name_is_tried_above():
    tried = test_each_field_reaches_the_run_or_is_said_not_to.pytestmark[0].args[1]

    assert ["SCENARIO_NAME", *(name for name, _ in tried)] == list(FIELDS)
