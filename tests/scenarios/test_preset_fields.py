import itertools

import pytest

from windtunnel.core.errors import UsageError
from windtunnel.core.limits import MIB
from windtunnel.core.scenario import Fault
from windtunnel.scenarios.failures import ALIASES, HOSTILE, Failures, read_failures
from windtunnel.scenarios.fields import FIELDS, field_named
from windtunnel.scenarios.security import SECURITY_LEVELS

INFINITE = float("inf")


def read(name, value):
    return FIELDS[name].read(value, field=name)


@pytest.mark.parametrize(("name", "given", "meant"), [
    ("CPU_LIMIT", "0.5", 0.5), ("CPU_LIMIT", "500m", 0.5), ("CPU_LIMIT", "500", 500.0), ("CPU_LIMIT", 2, 2.0),
    ("MEMORY_LIMIT", "512Mi", 512 * MIB), ("MEMORY_LIMIT", "512m", 512 * MIB), ("MEMORY_LIMIT", "512MB", 512 * MIB),
    ("MEMORY_LIMIT", "512MiB", 512 * MIB), ("MEMORY_LIMIT", "1.5g", 1536 * MIB), ("MEMORY_LIMIT", 64 * MIB, 64 * MIB),
    ("DISK_LIMIT", "8Gi", 8192 * MIB), ("DISK_LIMIT", str(MIB), MIB),
    ("TIMEOUT", 30, 30.0), ("TIMEOUT", "2.5", 2.5), ("TIMEOUT", "250ms", 0.25),
    ("NETWORK_LATENCY_MS", 200, 200.0), ("NETWORK_LATENCY_MS", "200ms", 200.0), ("NETWORK_LATENCY_MS", "1s", 1000.0),
    ("NETWORK_JITTER_MS", "0", 0.0),
    ("PACKET_LOSS", 0.05, 0.05), ("PACKET_LOSS", "5%", 5.0), ("PACKET_DUPLICATION", 100, 100.0),
    ("PACKET_REORDERING", "25 %", 25.0),
    ("BANDWIDTH_LIMIT", "5Mbps", 5e6), ("BANDWIDTH_LIMIT", "5mbit", 5e6), ("MIN_BANDWIDTH", "500kbit/s", 5e5),
    ("MAX_BANDWIDTH", 1_000_000, 1e6), ("MAX_BANDWIDTH", "1.5Gbps", 1.5e9),
    ("SECURITY_LEVEL", "3", 3), ("SECURITY_LEVEL", 5.0, 5), ("THREAT_INTENSITY", 90, 90), ("THREAT_INTENSITY", "30%", 30),
    ("OS_TYPE", "Windows", "windows"), ("SCENARIO_NAME", " slow disk ", "slow disk"),
    ("VM_SETTINGS", {"windows_image": "w.qcow2", "cores": 2}, {"windows_image": "w.qcow2", "cores": "2"}),
    ("VM_SETTINGS", '{"memory": "4Gi"}', {"memory": "4Gi"}),
    ("ENVIRONMENT", {"API_URL": "http://x", "EMPTY": ""}, {"API_URL": "http://x", "EMPTY": ""}),
])
def test_a_value_is_read_in_each_form_that_people_write(name, given, meant):
    assert read(name, given) == meant


@pytest.mark.parametrize("name", [name for name, row in FIELDS.items() if row.ladder])
@pytest.mark.parametrize("value", [True, None, float("nan"), INFINITE, -INFINITE, -1, "-1", 10**400, "", "much", "1e3",
                                   "9" * 1000, [], {}, "\u0661", b"1", "5 5"])
def test_what_is_no_number_of_a_field_is_refused_with_its_name(name, value):
    with pytest.raises(UsageError) as error:
        read(name, value)

    assert error.value.field == name
    assert str(error.value).startswith(f"{name}: not a ")
    assert "try " in str(error.value)
    assert len(str(error.value)) < 300


@pytest.mark.parametrize(("name", "value"), [
    ("CPU_LIMIT", 0), ("CPU_LIMIT", 4097), ("MEMORY_LIMIT", "7Mi"), ("MEMORY_LIMIT", "512q"), ("DISK_LIMIT", 1000),
    ("DISK_LIMIT", 1.5e6 + 0.5), ("TIMEOUT", 0), ("NETWORK_LATENCY_MS", 60_001), ("PACKET_LOSS", 100.1),
    ("PACKET_DUPLICATION", 101), ("BANDWIDTH_LIMIT", 999), ("BANDWIDTH_LIMIT", "5MBps2"), ("SECURITY_LEVEL", 0),
    ("SECURITY_LEVEL", 6), ("SECURITY_LEVEL", 2.5), ("THREAT_INTENSITY", 101), ("THREAT_INTENSITY", 0.5),
    ("OS_TYPE", "beos"), ("OS_TYPE", 7), ("SCENARIO_NAME", ""), ("SCENARIO_NAME", "x" * 101), ("SCENARIO_NAME", "a\nb"),
    ("SCENARIO_NAME", "\ud800"), ("VM_SETTINGS", {"disk": "x"}), ("VM_SETTINGS", "nothing"), ("VM_SETTINGS", ["x"]),
    ("ENVIRONMENT", {"A=B": "x"}), ("ENVIRONMENT", {"A": "x\0"}), ("ENVIRONMENT", {"A": "\udfff"}),
    ("ENVIRONMENT", {"A": None}), ("ENVIRONMENT", {"A": "x" * 5000}), ("ENVIRONMENT", {f"V{at}": "" for at in range(101)}),
    ("ENVIRONMENT", {1: "x"}), ("ENVIRONMENT", '{"A": "1", "A": "2"}'),
])
def test_an_impossible_value_is_refused_with_the_name_of_its_field(name, value):
    with pytest.raises(UsageError) as error:
        read(name, value)

    assert error.value.field == name
    assert len(str(error.value)) < 400


def test_the_loss_of_everything_is_refused_with_the_word_for_it():
    with pytest.raises(UsageError, match="say FAILURE_MODES network_partition for that"):
        read("PACKET_LOSS", 100)


def test_control_characters_of_a_hostile_value_do_not_reach_the_message():
    with pytest.raises(UsageError) as error:
        read("CPU_LIMIT", "\x1b[2J")

    assert str(error.value) == ("CPU_LIMIT: not a number of processors from 0.01 to 4096: '\\x1b[2J' "
                                "(try 0.5 or 500m)")


def test_an_unknown_field_is_refused_with_all_that_are_known():
    with pytest.raises(UsageError) as error:
        field_named("GPU_LIMIT")

    assert str(error.value) == f"'GPU_LIMIT': there is no such field (known: {', '.join(FIELDS)})"


@pytest.mark.parametrize("given", [
    "disk,network_partition", " Disk , network-partition,", ["disk", "network_partition"], ("disk_full", "partition"),
    '["disk", "network_partition"]', ["disk", "disk_full", "partition", "none"]])
def test_failure_modes_are_read_in_each_form(given):
    assert read("FAILURE_MODES", given) == Failures(faults=frozenset({Fault.DISK_FULL, Fault.PARTITION}))


@pytest.mark.parametrize("given", ["", "none", [], "[]", [""]])
def test_no_failure_mode_is_none(given):
    assert read_failures(given) == Failures()


@pytest.mark.parametrize("word", [*Fault, *ALIASES])
def test_each_word_of_a_fault_is_one_fault(word):
    assert read_failures(str(word)) == Failures(faults=frozenset({ALIASES.get(word) or Fault(word)}))


@pytest.mark.parametrize("word", HOSTILE)
def test_words_for_hostile_inputs_are_no_fault(word):
    assert read_failures(word) == Failures(hostile=True)


@pytest.mark.parametrize("given", ["schema_drift", ["disk", "quantum"], [1], 7, None, True, {"disk": True}, "[1]",
                                   '["disk"', ["disk"] * 65, "disk," * 5000, '[["disk"]]'])
def test_what_is_no_failure_mode_is_refused(given):
    with pytest.raises(UsageError) as error:
        read_failures(given)

    assert error.value.field == "FAILURE_MODES"


def test_an_unknown_failure_mode_is_answered_with_those_that_are_known():
    with pytest.raises(UsageError, match=r"there is no 'schema_drift' \(known: disk_full, slow_disk, .*, user_misuse\)"):
        read_failures("schema_drift")


def test_each_level_of_security_is_at_least_as_tight_as_the_one_below():
    levels = [SECURITY_LEVELS[level] for level in range(1, 6)]
    tightness = [(one.read_only, not one.outside, -one.processes, -one.open_files, -one.files, -one.disk_bytes)
                 for one in levels]

    assert all(all(a <= b for a, b in zip(lower, upper, strict=True)) and lower != upper
               for lower, upper in itertools.pairwise(tightness))


@pytest.mark.parametrize("name", [name for name, row in FIELDS.items() if row.ladder])
def test_each_rung_of_a_ladder_is_a_value_of_its_field(name):
    ladder = FIELDS[name].ladder

    assert [float(read(name, rung)) for rung in ladder] == sorted(ladder)
