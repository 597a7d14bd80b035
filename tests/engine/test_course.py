"""The steps of one side of a trial: their order, their surroundings, and the limits that they share."""

import threading

import pytest
from trials import ONE_RUNNER, modify, try_numbered, write

from windtunnel.checks.project import Folder
from windtunnel.core.effects import Effects, FileEffect
from windtunnel.core.limits import GIB, Limits
from windtunnel.core.ports import Network
from windtunnel.core.result import Artifact, ExecutionResult, Reason, Usage
from windtunnel.core.trial import Channel, Check, CheckReport, Checks, Delta, ExecutionTestResult, Kind, Status, Verdict
from windtunnel.engine.budget import Budget
from windtunnel.engine.course import Course, Event, Order, _joined, _shares, crew
from windtunnel.engine.ground import Ground
from windtunnel.languages.search import which

BUILD, FURTHER, LINT, TEST = (
    Check(kind=kind, tool="command", argv=("sh", "-c", name))
    for kind, name in ((Kind.BUILD, "build"), (Kind.BUILD, "further"), (Kind.LINT, "lint"), (Kind.TEST, "test")))


@pytest.fixture
def course(rig, tmp_path):
    def make(*checks, limits=None, jobs=1, **options):
        ground = Ground(project=str(tmp_path), folder=Folder(tmp_path, search=which), paths=(), env={"PATH": "/usr/bin:/bin"})
        return Course(rig, ground, Checks(checks=checks), budget=Budget(limits or Limits(), lanes=jobs), **options)

    return make


def named(jobs):
    return [job.command.argv[-1] for job in jobs]


def test_builds_come_first_then_tests_then_linters(course, fake):
    reports = course(TEST, LINT, BUILD, FURTHER).run({}, kinds=tuple(Kind), order=Order())

    assert named(fake.jobs) == ["build", "further", "test", "lint"]
    assert [report.check for report in reports] == [BUILD, FURTHER, TEST, LINT]


def test_only_the_kinds_that_are_asked_for_run(course, fake):
    course(TEST, LINT, BUILD).run({}, kinds=(Kind.BUILD, Kind.TEST), order=Order())

    assert named(fake.jobs) == ["build", "test"]


def test_a_build_that_fails_ends_it(course, fake):
    fake.answers = [ExecutionResult(exit_code=2)]

    reports = course(BUILD, FURTHER, TEST).run({}, kinds=tuple(Kind), order=Order())

    assert [(report.check, report.exit_code) for report in reports] == [(BUILD, 2)]


def test_what_a_build_left_is_there_for_the_next_with_the_change_on_top(course, fake):
    made, hacked, mine = (Artifact(data=data) for data in (b"made", b"hacked", b"mine"))
    fake.answers = [ExecutionResult(exit_code=0, layer={"out": made, "calc.py": hacked, "gone.py": made})]

    course(BUILD, TEST).run({"calc.py": mine, "gone.py": None}, kinds=tuple(Kind), order=Order())

    assert [job.command.overlay for job in fake.jobs] == [
        {"calc.py": mine, "gone.py": None}, {"out": made, "calc.py": mine, "gone.py": None}]
    assert [job.command.keep_layer for job in fake.jobs] == [True, False]


def test_variables_and_networks_are_by_kind(course, fake):
    run = course(BUILD, LINT, TEST, env={Kind.TEST: {"A": "test"}, Kind.BUILD: {"A": "build"}}, build_network=Network(allow_hosts=("h",)))

    run.run({}, kinds=tuple(Kind), order=Order())

    found = {job.command.argv[-1]: (job.command.env.get("A"), job.network) for job in fake.jobs}
    assert found == {"build": ("build", Network(allow_hosts=("h",))), "test": ("test", Network()), "lint": (None, Network())}


def test_processor_time_is_shared_by_all_steps_of_a_side(course, fake):
    fake.answers = [ExecutionResult(exit_code=0, usage=Usage(cpu_seconds=4.0)), ExecutionResult(exit_code=0, usage=Usage(cpu_seconds=7.0))]

    reports = course(BUILD, FURTHER, TEST, limits=Limits(cpu_seconds=10.0)).run({}, kinds=tuple(Kind), order=Order())

    assert [job.limits.cpu_seconds for job in fake.jobs] == [10.0, 6.0]
    assert [report.reason for report in reports] == [Reason.EXITED, Reason.EXITED, Reason.TIMEOUT]


def test_a_new_side_has_a_new_budget(course, fake):
    run = course(TEST, limits=Limits(cpu_seconds=10.0))
    fake.answers = [ExecutionResult(exit_code=0, usage=Usage(cpu_seconds=10.0))]
    run.run({}, kinds=tuple(Kind), order=Order())

    run.budget.renew()
    run.run({}, kinds=tuple(Kind), order=Order())

    assert [job.limits.cpu_seconds for job in fake.jobs] == [10.0, 10.0]


def test_wall_time_is_shared_by_all_steps_of_a_side(course, fake):
    course(BUILD, TEST, limits=Limits(wall_seconds=9.0)).run({}, kinds=tuple(Kind), order=Order())

    first, second = (job.limits.wall_seconds for job in fake.jobs)
    assert 8.0 < second < first <= 9.0


def test_what_is_cancelled_does_not_run(course, fake):
    run = course(TEST)
    run.cancelled.set()

    (report,) = run.run({}, kinds=tuple(Kind), order=Order())

    assert (report.reason, report.tests, report.success, fake.jobs) == (Reason.CANCELLED, (), False, [])


@pytest.mark.parametrize("cores", [0.5, 1.0, 2.0])
def test_a_step_gets_no_more_cores_than_were_asked_for(course, fake, cores):
    course(TEST, limits=Limits(cores=cores)).run({}, kinds=tuple(Kind), order=Order())

    assert [job.limits.cores for job in fake.jobs] == [cores]


def test_a_command_that_starts_is_told_of(course):
    told = []

    course(TEST, tell=told.append).run({}, kinds=tuple(Kind), order=Order(side="changed"))

    assert told == [Event(kind="step", text="test: sh -c test", side="changed")]


def test_a_fault_of_ours_in_one_step_is_raised(course, fake):
    def fail(job):
        raise MemoryError(job.command.argv[-1])

    fake.run = fail

    with pytest.raises(MemoryError, match="test"):
        course(TEST, LINT).run({}, kinds=tuple(Kind), order=Order())


def leave(error, *, after):
    """Leave a crew of one by an error while its first job is under way; the second one's end is told."""
    begun, second = threading.Event(), threading.Event()
    with crew(1) as threads:
        threads.submit(lambda: begun.set() or after.wait(10))
        threads.submit(second.set)
        begun.wait(10)
        threading.Timer(0.3, after.set).start()
        raise error(second)


@pytest.mark.parametrize(("error", "waited"), [(KeyboardInterrupt, False), (ValueError, True)])
def test_who_is_interrupted_does_not_wait_for_the_threads(error, waited):
    after = threading.Event()

    with pytest.raises(error) as raised:
        leave(error, after=after)

    assert (after.is_set(), raised.value.args[0].is_set()) == (waited, False)
    after.wait(10)


# --- tests over the cores ---

def known(**seconds):
    return {f"{path}.py::{name}": ExecutionTestResult(id=f"{path}.py::{name}", status=Status.PASSED, duration_seconds=time)
            for path, time in seconds.items() for name in ("a", "b")}


def test_files_are_shared_by_their_time():
    shares = _shares(Order(known=known(slow=4.0, middle=2.0, quick=1.0, least=0.5)), 2)

    assert shares == [["slow.py"], ["middle.py", "quick.py", "least.py"]]


def test_the_file_of_the_likeliest_test_is_run_beside_the_others():
    order = Order(known=known(a=0.5, b=0.5, c=0.5), first=("b.py::a", "c.py::a"))

    assert _shares(order, 2) == [["b.py"], ["a.py", "c.py"]]


def test_the_likeliest_are_apart_from_tests_that_are_spread():
    order = Order(known=known(slow=9.0, middle=4.0, quick=1.0), first=("quick.py::b",))

    assert _shares(order, 2) == [["quick.py"], ["slow.py"], ["middle.py"]]


def test_a_race_that_one_part_decided_ends_the_other_parts(course):
    order = Order(known=known(a=1.0, b=1.0), fail_fast=True)
    run = course(TEST)

    heard = [run._hear({"kind": "test", "id": name, "status": status}, order)
             for name, status in (("b.py::a", "passed"), ("a.py::a", "failed"), ("b.py::b", "passed"))]

    assert heard == [False, True, True]


@pytest.mark.parametrize(("order", "parts"), [
    (Order(known=known(a=9.0, b=9.0)), 1), (Order(known=known(a=9.0)), 2), (Order(known=known(a=0.1, b=0.1)), 2), (Order(), 2)])
def test_nothing_is_shared_that_is_not_worth_it(order, parts):
    assert _shares(order, parts) == []


def part(name, *, exit_code=0, reason=Reason.EXITED, **fields):
    return CheckReport(
        check=TEST, exit_code=exit_code, reason=reason, execution_time=1.0, channel=Channel.LIVE, stdout=name, notes=("same", name),
        tests=(ExecutionTestResult(id=name, status=Status.PASSED),), effects=Effects(files=(FileEffect(path=name, kind="file"),)),
        usage=Usage(cpu_seconds=1.0, memory_peak_bytes=5), forged=1, interfered=("print",), touched={name: ("a:1",)}, **fields)


def test_the_parts_of_a_run_are_one_report_and_the_worst_ending_counts():
    whole = _joined([part("a", exit_code=1), part("b", reason=Reason.TIMEOUT), part("c")])

    assert (whole.reason, whole.success, [test.id for test in whole.tests], whole.stdout) == (Reason.TIMEOUT, False, ["a", "b", "c"], "abc")
    assert (whole.notes, whole.forged, whole.interfered, set(whole.touched)) == (("same", "a", "b", "c"), 3, ("print",), {"a", "b", "c"})
    assert ([file.path for file in whole.effects.files], whole.usage) == (["a", "b", "c"], Usage(cpu_seconds=3.0, memory_peak_bytes=5))


@pytest.mark.slow
def test_shared_tests_give_the_verdict_of_those_in_one_sandbox(tunnel, tmp_path):
    files = {f"test_{name}.py": f"import calc, time\ndef test_{name}():\n    time.sleep(3.2)\n    assert calc.{name}() == 1\n" for name in ("one", "two")}
    code = "def one():\n    return {}\ndef two():\n    return 1\n"
    project = write(tmp_path, {"calc.py": code.format(1), **files})
    options = {**ONE_RUNNER, "limits": Limits(memory_bytes=2 * GIB, cores=2.0, wall_seconds=60), "rerun": False}

    result, jobs = try_numbered(tunnel, project, [modify("calc.py", code.format(2))], **options, jobs=2)

    assert (result.verdict, result.delta) == (Verdict.NOT_GOOD, Delta(broken=("test_one.py::test_one",), still_passing=1))
    assert [(job.limits.memory_bytes, job.limits.cores) for job in jobs] == [(GIB, 2.0)] * 3
