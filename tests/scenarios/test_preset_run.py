"""Presets in real sandboxes: what a preset asks for is what a program meets."""

import pytest

from windtunnel.core.limits import Limits
from windtunnel.core.result import Reason
from windtunnel.scenarios.applied import limits_for
from windtunnel.scenarios.preset import scenario


@pytest.fixture
def run(tunnel):
    return lambda code, given: tunnel.run(code, limits=limits_for(scenario(given), Limits()))


def test_the_tightest_of_generated_presets_still_runs_a_program(run):
    tightest = {"CPU_LIMIT": 0.25, "MEMORY_LIMIT": "64Mi", "DISK_LIMIT": "16Mi", "SECURITY_LEVEL": 5,
                "FAILURE_MODES": ["memory_pressure", "few_file_descriptors", "disk_full"]}

    assert run("print(1)", tightest).stdout == "1\n"


def test_a_program_meets_the_memory_that_a_preset_leaves(run):
    code = "data = bytearray(100 * 2**20)\nfor at in range(0, len(data), 4096): data[at] = 1\nprint(len(data))"

    assert run(code, {"MEMORY_LIMIT": "256Mi"}).stdout == "104857600\n"
    assert run(code, {"MEMORY_LIMIT": "64Mi"}).reason == Reason.OUT_OF_MEMORY


def test_a_program_meets_the_descriptors_that_a_fault_leaves(run):
    code = "files = []\ntry:\n    for _ in range(100): files.append(open('/dev/null'))\nexcept OSError as error:\n    print(error.errno)"

    assert run(code, {}).stdout == ""
    assert run(code, {"FAILURE_MODES": "few_file_descriptors"}).stdout == "24\n"


def test_a_program_meets_the_disk_that_a_preset_leaves(run):
    code = "try:\n    open('/tmp/x', 'wb').write(bytes(40 * 2**20))\nexcept OSError as error:\n    print(error.errno)"

    assert run(code, {"DISK_LIMIT": "64Mi"}).stdout == ""
    assert run(code, {"DISK_LIMIT": "32Mi"}).stdout == "28\n"


def test_a_program_is_ended_after_the_time_of_its_preset(run):
    assert run("import time\ntime.sleep(20)", {"TIMEOUT": 0.5}).reason == Reason.TIMEOUT
