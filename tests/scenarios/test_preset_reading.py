import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.core.errors import UsageError
from windtunnel.core.limits import MIB
from windtunnel.core.scenario import Fault, Link, Scenario
from windtunnel.scenarios.failures import ALIASES, HOSTILE
from windtunnel.scenarios.fields import FIELDS
from windtunnel.scenarios.preset import drawn_rate, preset, presets_from_environment, read_presets, scenario

PERCENT = st.floats(0, 99).map(lambda value: round(value, 4))
RATE = st.integers(1000, 10**11) | st.sampled_from(["1Mbps", "5mbit", "100kbps"])
SIZE = st.integers(8 * MIB, 2**40) | st.sampled_from(["512Mi", "2g"])
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
GIVEN = st.fixed_dictionaries({}, optional={
    "SCENARIO_NAME": st.text("abc #2", min_size=1, max_size=10).filter(str.strip),
    "CPU_LIMIT": st.floats(0.01, 4096),
    "MEMORY_LIMIT": SIZE,
    "DISK_LIMIT": SIZE,
    "TIMEOUT": st.floats(0.01, 1000),
    "NETWORK_LATENCY_MS": st.floats(0, 60_000) | st.integers(0, 1000),
    "NETWORK_JITTER_MS": st.floats(0, 60_000),
    "PACKET_LOSS": PERCENT,
    "PACKET_DUPLICATION": PERCENT,
    "PACKET_REORDERING": PERCENT,
    "BANDWIDTH_LIMIT": RATE,
    "MIN_BANDWIDTH": st.integers(1000, 10**6),
    "MAX_BANDWIDTH": st.integers(10**6, 10**9),
    "SECURITY_LEVEL": st.integers(1, 5),
    "THREAT_INTENSITY": st.integers(1, 100),
    "FAILURE_MODES": st.lists(st.sampled_from([*map(str, Fault), *ALIASES, *HOSTILE]), max_size=5),
    "OS_TYPE": st.sampled_from(["linux", "windows", "macos"]),
    "VM_SETTINGS": st.dictionaries(st.sampled_from(["windows_image", "memory"]), TEXT),
    "ENVIRONMENT": st.dictionaries(st.from_regex("[A-Z_]{1,8}", fullmatch=True), TEXT, max_size=3),
})
JUNK = st.recursive(st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
                    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3))


def test_a_preset_becomes_a_scenario_with_the_meaning_of_each_field():
    given = {
        "SCENARIO_NAME": "bad day", "CPU_LIMIT": "500m", "MEMORY_LIMIT": "512Mi", "DISK_LIMIT": "1Gi", "TIMEOUT": 5,
        "NETWORK_LATENCY_MS": 200, "NETWORK_JITTER_MS": 20, "PACKET_LOSS": 5, "PACKET_DUPLICATION": 1,
        "PACKET_REORDERING": 25, "BANDWIDTH_LIMIT": "5Mbps", "SECURITY_LEVEL": 3, "THREAT_INTENSITY": 30,
        "FAILURE_MODES": "disk,cpu", "OS_TYPE": "windows", "VM_SETTINGS": {"windows_image": "w.qcow2"},
        "ENVIRONMENT": {"A": "1"}}

    assert scenario(given) == Scenario(
        name="bad day", cores=0.5, memory_bytes=512 * MIB, disk_bytes=1024 * MIB, wall_seconds=5.0,
        link=Link(delay_seconds=0.2, jitter_seconds=0.02, loss=0.05, duplication=0.01, reordering=0.25, rate_bits=5e6),
        security_level=3, threat_intensity=30, faults=frozenset({Fault.DISK_FULL, Fault.CPU_SPIKE}), os_type="windows",
        vm_settings={"windows_image": "w.qcow2"}, environment={"A": "1"}, fields=given)


def test_an_empty_preset_is_as_usual():
    assert scenario({}) == Scenario(name="usual")


@settings(max_examples=100, deadline=None)
@given(GIVEN, st.integers(0, 2**32))
def test_a_scenario_written_and_read_again_is_the_same(given, seed):
    first = scenario(given, seed=seed)
    written = json.loads(json.dumps(preset(first)))

    again = scenario(written, seed=seed)

    assert replace(again, fields={}) == replace(first, fields={})
    assert preset(again) == preset(first)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.sampled_from(list(FIELDS)) | st.text(max_size=5), JUNK, max_size=4))
def test_whatever_a_preset_says_it_is_read_or_refused(given):
    refusal = ""
    try:
        written = preset(scenario(given))
    except UsageError as error:
        refusal = str(error)

    assert len(refusal) < 1000
    assert refusal or written["SCENARIO_NAME"]


@pytest.mark.parametrize("given", [None, 7, "CPU_LIMIT=1", ["CPU_LIMIT"]])
def test_what_is_no_table_of_fields_is_refused(given):
    with pytest.raises(UsageError, match="not a table of fields"):
        scenario(given)


def test_a_range_of_rates_the_wrong_way_round_is_refused():
    with pytest.raises(UsageError, match="MIN_BANDWIDTH: above MAX_BANDWIDTH"):
        scenario({"MIN_BANDWIDTH": "10Mbps", "MAX_BANDWIDTH": "5Mbps"})


def test_hostile_inputs_for_no_call_at_all_are_refused():
    with pytest.raises(UsageError, match="THREAT_INTENSITY: 0 leaves no call"):
        scenario({"FAILURE_MODES": "hostile_input", "THREAT_INTENSITY": 0})


@pytest.mark.parametrize(("given", "intensity"), [
    ({"FAILURE_MODES": "user_misuse"}, 50), ({"FAILURE_MODES": "user_misuse", "THREAT_INTENSITY": 20}, 20),
    ({"FAILURE_MODES": "disk"}, None), ({"THREAT_INTENSITY": 0}, 0)])
def test_hostile_words_ask_for_half_of_the_calls_unless_told_otherwise(given, intensity):
    assert scenario(given).threat_intensity == intensity


@pytest.mark.parametrize(("given", "rate"), [
    ({"MIN_BANDWIDTH": "1Mbps"}, 1e6), ({"MAX_BANDWIDTH": "9Mbps"}, 9e6),
    ({"MIN_BANDWIDTH": "1Mbps", "MAX_BANDWIDTH": "9Mbps", "BANDWIDTH_LIMIT": "5Mbps"}, 5e6),
    ({"MIN_BANDWIDTH": "2Mbps", "MAX_BANDWIDTH": "2Mbps"}, 2e6), ({"NETWORK_LATENCY_MS": 5}, None)])
def test_a_rate_that_nothing_leaves_open_is_not_drawn(given, rate):
    assert scenario(given).link.rate_bits == rate


def test_a_rate_is_drawn_from_its_range_by_the_seed_alone():
    given = {"MIN_BANDWIDTH": "1Mbps", "MAX_BANDWIDTH": "100Mbps"}
    rates = [scenario(given, seed=seed).link.rate_bits for seed in range(200)]

    assert rates == [drawn_rate(1e6, 1e8, seed=seed) for seed in range(200)]
    assert 1e6 <= min(rates) < 2e6
    assert 5e7 < max(rates) <= 1e8
    assert 70 < sum(rate < 1e7 for rate in rates) < 130


def test_the_formula_of_a_drawn_rate_holds_on_every_machine():
    assert drawn_rate(1e6, 1e7, seed=0) == 1_359_835.0


def test_a_link_that_changes_nothing_is_still_a_link():
    made = scenario({"NETWORK_LATENCY_MS": 0})

    assert made.link == Link()
    assert preset(made) == {"SCENARIO_NAME": "usual", "NETWORK_LATENCY_MS": 0}


def test_presets_are_read_from_text_list_and_table_alike():
    wanted = (scenario({"CPU_LIMIT": 2}),)

    assert read_presets('[{"CPU_LIMIT": 2}]', source="p.json") == wanted
    assert read_presets(b'{"CPU_LIMIT": 2}', source="p.json") == wanted
    assert read_presets([{"CPU_LIMIT": 2}], source="p.json") == wanted
    assert read_presets({"CPU_LIMIT": 2}, source="p.json") == wanted


@pytest.mark.parametrize("text", [
    "", "nothing", "[]", "7", '"x"', "null", '[{"CPU_LIMIT": NaN}]', '[{"CPU_LIMIT": 1e999}]',
    '[{"CPU_LIMIT": 1, "CPU_LIMIT": 2}]', "[" * 100_000, '["CPU_LIMIT"]', "[{}, 7]", '[{"CPU_LIMIT": ' + "9" * 5000 + "}]",
    json.dumps([{}] * 1001), " " * (MIB + 1), '[{"SCENARIO_NAME": "\\ud800"}]', "\ud800", b"\xff"])
def test_what_is_no_list_of_presets_is_refused_with_its_source(text):
    with pytest.raises(UsageError) as error:
        read_presets(text, source="p.json")

    assert str(error.value).startswith("p.json")
    assert len(str(error.value)) < 400


def test_a_mistake_is_named_with_its_place_and_its_field():
    with pytest.raises(UsageError) as error:
        read_presets([{}, {"PACKET_LOSS": "many"}], source="presets.json")

    assert error.value.field == "PACKET_LOSS"
    assert str(error.value) == ("presets.json[1]: PACKET_LOSS: not a number of percent from 0 to 100: 'many' (try 5)")


@pytest.mark.parametrize(("given", "name"), [
    ({}, "usual"), ({"NETWORK_LATENCY_MS": 200, "PACKET_LOSS": 5}, "latency-200ms loss-5%"),
    ({"CPU_LIMIT": 0.5, "MEMORY_LIMIT": "128m", "FAILURE_MODES": "disk"}, "disk_full cpu-0.5 memory-128Mi"),
    ({"CPU_LIMIT": 1, "MEMORY_LIMIT": "1g", "DISK_LIMIT": "1g", "TIMEOUT": 1.5, "SECURITY_LEVEL": 2,
      "THREAT_INTENSITY": 10, "OS_TYPE": "macos", "ENVIRONMENT": {"A": "1"}},
     "cpu-1 memory-1Gi disk-1Gi timeout-1.5s +4")])
def test_a_name_says_what_differs_from_usual(given, name):
    assert scenario(given).name == name


def test_names_are_unique_in_a_list():
    given = [{}, {}, {"SCENARIO_NAME": "a"}, {"SCENARIO_NAME": "a #2"}, {"SCENARIO_NAME": "a"}, {}]

    assert [one.name for one in read_presets(given, source="p")] == ["usual", "usual #2", "a", "a #2", "a #3", "usual #3"]


@pytest.mark.parametrize(("environ", "wanted"), [
    ({}, None), ({"SANDBOX_GENERATE_PRESETS": "1"}, None), ({"SANDBOX_ENV_PRESETS": " "}, None),
    ({"SANDBOX_GENERATE_PRESETS": "0"}, (Scenario(name="usual"),)),
    ({"SANDBOX_GENERATE_PRESETS": "0", "SANDBOX_ENV_PRESETS": '[{"CPU_LIMIT": "1"}]'},
     (Scenario(name="cpu-1", cores=1.0, fields={"CPU_LIMIT": "1"}),))])
def test_the_environment_gives_presets_or_none_to_have_them_generated(environ, wanted):
    assert presets_from_environment(environ) == wanted


def test_a_switch_that_is_neither_on_nor_off_is_refused():
    with pytest.raises(UsageError, match="SANDBOX_GENERATE_PRESETS: neither 0 nor 1: 'maybe'"):
        presets_from_environment({"SANDBOX_GENERATE_PRESETS": "maybe"})
