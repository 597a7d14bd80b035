import importlib.util
import sys
from pathlib import Path

import pytest

from windtunnel import Tunnel
from windtunnel.core.scenario import Fault

sys.path.insert(0, str(Path(__file__).parents[2]))
from benchmarks import simulate_faults

PROVE = Path(__file__).parent.parent / "corpus" / "frailties" / "prove.py"
SPEC = importlib.util.spec_from_file_location("prove_frailties", PROVE)
prove = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(prove)

BESIDE_THE_FAULTS = {"DISK_LIMIT", "MEMORY_LIMIT", "CPU_LIMIT", "NETWORK_LATENCY_MS", "NETWORK_JITTER_MS", "PACKET_LOSS",
                     "PACKET_REORDERING", "BANDWIDTH_LIMIT"}
NAMED = sorted(set(prove.LOCAL) - {"cpu_spike"})
TOUCHED = {
    "storage": ("disk_full", "read_only_disk", "corrupted_reads", "few_file_descriptors"),
    "reports": ("disk_full", "read_only_disk", "memory_pressure"),
    "catalog": ("corrupted_reads",),
    "schedule": ("clock_jump", "clock_skew", "wrong_time_zone"),
    "texts": ("missing_environment", "wrong_locale"),
    "machine": ("signals", "few_file_descriptors", "memory_pressure"),
}


@pytest.fixture(scope="module")
def tunnel():
    with Tunnel(pool_size=0) as made:
        yield made


def test_there_are_thirty_frail_functions_and_a_hundred_sound_ones():
    frail, every = set(prove.EXPECTED["frail"]), prove.functions()

    assert len(frail) == 30
    assert len(set(every) - frail) >= 100
    assert frail | set(prove.EXPECTED["varying"]) | set(prove.EXPECTED["incomparable"]) <= set(every)


def test_each_condition_is_one_that_there_is():
    said = {name for one in prove.EXPECTED["frail"].values() for name in (one["condition"], *one["also"])}

    assert said <= BESIDE_THE_FAULTS | {f"FAILURE_MODES:{fault}" for fault in Fault}


def test_each_fault_has_a_function_that_it_breaks():
    assert [fault for fault in Fault if not prove.frail_under(fault)] == []


@pytest.mark.parametrize("fault", NAMED)
def test_a_frail_function_returns_in_calm_and_not_under_its_condition(tunnel, fault):
    names = [name for name in prove.frail_under(fault) if prove.EXPECTED["frail"][name]["condition"].endswith(fault)]
    found = prove.ended(tunnel, names, under=(prove.CALM, fault, prove.CALM))

    assert {name for name, (calm, under, again) in found.items() if calm == again != under} == set(names)
    assert [calm for calm, _, _ in found.values() if not calm.startswith("returned")] == []


def test_a_deadline_is_missed_beside_a_spike(tunnel):
    def missed():
        found = prove.ended(tunnel, ["shop.numbers_of_stock.plan_route"], under=("cpu_spike",))
        return found == {"shop.numbers_of_stock.plan_route": ("raised RuntimeError: no route in time",)}

    assert any(missed() for _ in range(10))  # who gets the processor is for the kernel to say


@pytest.mark.parametrize("module", sorted(TOUCHED))
def test_sound_functions_bear_the_faults_of_what_they_touch(tunnel, module):
    names = [name for name in prove.functions() if name.startswith(f"shop.{module}.")
             and name not in prove.EXPECTED["frail"] and name not in prove.EXPECTED["varying"]]
    found = prove.ended(tunnel, names, under=(prove.CALM, *TOUCHED[module]))

    assert {name: how for name, how in found.items() if set(how) != {how[0]}} == {}
    assert [how[0] for how in found.values() if not how[0].startswith("returned")] == []


def test_what_varies_in_calm_varies(tunnel):
    found = prove.ended(tunnel, prove.EXPECTED["varying"], under=(prove.CALM, prove.CALM))

    assert [name for name, (one, other) in found.items() if one == other] == []


def test_findings_are_counted_by_the_condition_that_they_name():
    said = {
        "shop.storage.save_settings": ["FAILURE_MODES:disk_full"],
        "shop.storage.spool_frames": ["FAILURE_MODES:disk_full"],
        "shop.texts.suppliers": ["FAILURE_MODES:signals"],
        "shop.texts.slug": ["CPU_LIMIT"],
        "shop.texts.wrap": [],
    }
    counted = simulate_faults.count(said)

    assert counted.found == ("shop.storage.save_settings", "shop.storage.spool_frames")
    assert counted.misnamed == ("shop.texts.suppliers",)
    assert counted.blamed == ("shop.texts.slug",)
    assert len(counted.missed) == 27


def test_a_function_with_a_second_condition_that_is_not_its_own_is_misnamed():
    counted = simulate_faults.count({"shop.texts.suppliers": ["FAILURE_MODES:wrong_locale", "CPU_LIMIT"]})

    assert (counted.found, counted.misnamed) == ((), ("shop.texts.suppliers",))
