"""What a test command meets of a scenario, and what several runs of it say of one test."""

from __future__ import annotations

import pytest

from windtunnel.checks import prepare
from windtunnel.core.limits import MIB, Limits
from windtunnel.core.result import Reason
from windtunnel.core.scenario import Fault
from windtunnel.core.section import Ending, Section, SectionKind
from windtunnel.core.tool import Ask
from windtunnel.core.trial import Channel, Check, CheckReport, ExecutionTestResult, Kind, Status
from windtunnel.engine.simulate.suites.control import control_of
from windtunnel.engine.simulate.suites.meeting import (
    LEFT_BYTES,
    OPEN_FILES,
    as_limits,
    meeting,
    met,
    unmet,
    unmet_conditions,
)
from windtunnel.engine.simulate.suites.running import alone_name, calm_test, ended, was_run
from windtunnel.scenarios.preset import scenario

CHECK = Check(kind=Kind.TEST, tool="node:test", argv=("node", "--test"))
SECTION = Section(path="test/a.js", name="adds", kind=SectionKind.TEST)
ID = "test/a.js > adds"


def report(*statuses, reason=Reason.EXITED, seconds=0.1, category=""):
    tests = tuple(ExecutionTestResult(id=ID, status=status, duration_seconds=seconds, category=category, message="why")
                  for status in statuses)
    return CheckReport(check=CHECK, exit_code=0, reason=reason, execution_time=1.0, channel=Channel.LIVE, tests=tests)


def met_by(fields, **more):
    return meeting(met(scenario(fields)), base=Limits(), caps=Limits(memory_bytes=2**40), seed=0,
                   **{"kept": ("PATH",), "built_bytes": 0, **more})


def test_a_test_that_passes_each_time_is_steady():
    calm = calm_test(SECTION, ID, [report(Status.PASSED)] * 3)

    assert (calm.section, calm.seconds, calm.unsteady) == ("test/a.js:adds", {"adds": 0.1}, "")


def test_the_usual_time_of_a_test_is_that_of_its_slowest_run():
    runs = [report(Status.PASSED, seconds=seconds) for seconds in (0.1, 0.4, 0.2)]

    assert calm_test(SECTION, ID, runs).seconds == {"adds": 0.4}


def test_a_test_that_passes_now_and_then_is_not_steady():
    calm = calm_test(SECTION, ID, [report(Status.PASSED), report(Status.FAILED, category="assertion")])

    assert calm.unsteady == "its calls end in several ways: raised assertion, returned"


def test_a_test_that_is_skipped_now_and_then_is_not_steady():
    assert calm_test(SECTION, ID, [report(Status.PASSED), report(Status.SKIPPED)]).unsteady == "it is skipped now and then"


@pytest.mark.parametrize("status", [Status.FAILED, Status.ERROR, Status.SKIPPED])
def test_a_test_that_never_passes_is_nobody_to_compare_with(status):
    assert calm_test(SECTION, ID, [report(status)] * 3) is None


@pytest.mark.parametrize(("reason", "how"), [
    (Reason.EXITED, Ending.ENDED_PROCESS), (Reason.OUT_OF_MEMORY, Ending.ENDED_PROCESS),
    (Reason.TIMEOUT, Ending.NEVER_RETURNED)])
def test_a_test_that_was_not_heard_of_ended_with_its_process_or_never(reason, how):
    assert ended(SECTION, None, report(reason=reason), most=None).how is how


def test_a_test_that_takes_longer_than_the_timeout_never_returned():
    told = report(Status.PASSED, seconds=2.0)

    assert [ended(SECTION, told.tests[0], told, most=most).how for most in (1.0, 3.0)] == [
        Ending.NEVER_RETURNED, Ending.RETURNED]


def test_what_needs_python_inside_is_not_met_and_all_else_is():
    every = scenario({"FAILURE_MODES": [str(fault) for fault in Fault], "MEMORY_LIMIT": "64Mi", "THREAT_INTENSITY": 5})

    assert sorted(unmet(every)) == [
        "FAILURE_MODES:clock_jump", "FAILURE_MODES:clock_skew", "FAILURE_MODES:corrupted_reads",
        "FAILURE_MODES:read_only_disk", "FAILURE_MODES:signals", "FAILURE_MODES:slow_disk", "THREAT_INTENSITY"]
    assert met(every).faults == frozenset(Fault) - {
        Fault.CLOCK_JUMP, Fault.CLOCK_SKEW, Fault.CORRUPTED_READS, Fault.READ_ONLY_DISK, Fault.SIGNALS, Fault.SLOW_DISK}


def test_walls_that_are_made_in_part_are_told():
    (told,) = unmet_conditions(scenario({"SECURITY_LEVEL": 4}))

    assert (told.name, told.requested, told.real) == ("SECURITY_LEVEL", "4", False)


def test_faults_that_are_a_limit_for_a_test_command_are_one():
    around = met_by({"FAILURE_MODES": ["memory_pressure", "few_file_descriptors"]})

    assert (around.limits.memory_bytes, around.limits.open_files, around.faults) == (128 * MIB, OPEN_FILES, {})


def test_memory_pressure_is_measured_as_the_limit_that_it_is():
    made, names = as_limits(scenario({"FAILURE_MODES": "memory_pressure"}))

    assert (made.memory_bytes, made.faults, names) == (
        128 * MIB, frozenset(), {"MEMORY_LIMIT": "FAILURE_MODES:memory_pressure"})


def test_a_runner_keeps_the_variables_that_it_lives_by():
    gone = met_by({"FAILURE_MODES": "missing_environment", "ENVIRONMENT": {"SHOP": "1"}}).faults["missing_environment"]

    assert {"HOME", "SHOP"} <= set(gone["names"])
    assert "PATH" not in gone["names"]


def test_what_was_built_before_comes_on_top_of_the_limits():
    around = met_by({"FAILURE_MODES": "disk_full", "MEMORY_LIMIT": "64Mi"}, built_bytes=30 * MIB, left_bytes=LEFT_BYTES)

    assert (around.limits.memory_bytes, around.limits.disk_bytes) == (94 * MIB, 46 * MIB)
    assert around.faults == {"disk_full": {"most_bytes": 188 * MIB, "left_bytes": LEFT_BYTES}}


@pytest.mark.parametrize(("tool", "test", "name"), [
    ("node:test", "a.js > adds", "adds"), ("node:test", "a.js > suite > adds", None), ("pytest", "a.py::A::b", "b"),
    ("go test", "shop/TestA", "shop/TestA")])
def test_a_test_is_run_without_the_others_of_its_file_where_that_can_be_done(tool, test, name):
    assert alone_name(Check(kind=Kind.TEST, tool=tool, argv=("x",)), test) == name


@pytest.mark.parametrize(("status", "category", "run"), [
    (Status.PASSED, "", True), (Status.FAILED, "assertion", True), (Status.ERROR, "exception", True),
    (Status.ERROR, "collection", False), (Status.ERROR, "crash", False), (Status.SKIPPED, "", False)])
def test_a_runner_that_came_to_a_test_ran_it_whether_it_passed_or_failed(status, category, run):
    assert was_run(ExecutionTestResult(id=ID, status=status, category=category)) is run


def test_node_leaves_out_what_else_is_in_the_file_of_a_test_that_is_run_alone():
    argv = prepare(CHECK, Ask(select=(ID,), pattern="/^adds$/")).argv

    assert argv[-3:] == ("--test-name-pattern=/^adds$/", "--test", "test/a.js")


class NoFiles:
    def read(self, path):
        return b"module example.com/shop\n" if path == "go.mod" else None


@pytest.mark.parametrize(("tool", "id_", "expected"), [
    ("node:test", "test/a.test.js > adds", "test/windtunnel_control.test.mjs > holds"),
    ("mocha", "test/a.cjs > adds", "test/windtunnel_control.cjs > holds"),
    ("pytest", "tests/test_a.py::test_b", "tests/test_windtunnel_control.py::test_holds"),
    ("go test", "example.com/shop/calc/TestA", "example.com/shop/windtunnel_control/TestHolds")])
def test_a_control_lies_beside_a_test_of_the_project(tool, id_, expected):
    assert control_of(tool, ExecutionTestResult(id=id_, status=Status.PASSED), NoFiles()).id == expected


def test_a_runner_that_nobody_can_write_a_control_for_has_none():
    assert control_of("maven", ExecutionTestResult(id="shop.A#b", status=Status.PASSED), NoFiles()) is None
