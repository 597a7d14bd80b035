"""The course of an execution with steps that only pretend: order, retries, going on, stopping."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from windtunnel.config import CAPS
from windtunnel.core.errors import ApprovalNeeded, Cancelled, SandboxFailure, UsageError
from windtunnel.core.limits import GIB, Limits
from windtunnel.core.plan import FailureKind, RetryPolicy, Task, TaskPlan, TaskState, TaskStatus
from windtunnel.core.policy import NO_POLICY
from windtunnel.core.problem import Diagnosis
from windtunnel.core.result import ExecutionResult, Reason
from windtunnel.engine.execute.attempt import Room, enhanced, first
from windtunnel.engine.execute.course import Course, Means, outcome
from windtunnel.store.plans import PlanStore

ROOM = Room(caps=CAPS, most_seconds=3600.0)
GOOD = ExecutionResult(exit_code=0)
TIMEOUT = ExecutionResult(exit_code=124, reason=Reason.TIMEOUT)
MEMORY = ExecutionResult(exit_code=137, reason=Reason.OUT_OF_MEMORY)
OFFLINE = ExecutionResult(exit_code=1, stderr_bytes=b"npm ERR! getaddrinfo EAI_AGAIN registry.example")


def bad(text="it is wrong", code=1):
    return ExecutionResult(exit_code=code, stderr_bytes=text.encode())


def task(name, *before, **more):
    return Task(id=name, description=name, command=name, depends_on=before, timeout_seconds=60.0, **more)


class Steps:
    """Gives prepared results, then success; remembers what was asked for."""

    def __init__(self, results=None):
        self.results = {name: list(given) for name, given in (results or {}).items()}
        self.asked = []
        self.stopped = threading.Event()
        self.lock = threading.Lock()

    def __call__(self, one, attempt, heard):
        with self.lock:
            self.asked.append((one.id, attempt))
            found = self.results.get(one.id)
            result = found.pop(0) if found else GOOD
        heard("stdout", b"working\n")
        if isinstance(result, Exception):
            raise result
        return result(self) if callable(result) else result

    @property
    def order(self):
        return [name for name, _ in self.asked]


@pytest.fixture
def run(tmp_path):
    store = PlanStore(tmp_path / "plans.db")
    events = []

    def make(tasks, results=None, *, steps=None, workers=1, again=None):
        plan = TaskPlan(request="", root="/p", tasks=tuple(tasks))
        steps = steps or Steps(results)
        held = again or store.begin(plan.id, owner="me", workspace="w", approved=False)
        course = Course(plan, held, Means(
            step=steps, stop=steps.stopped.set, store=store, room=ROOM, diagnose=lambda _: Diagnosis(),
            tell=events.append, workers=workers))
        course.run()
        return plan, steps, held, course

    make.store, make.events = store, events
    yield make
    store.close()


def states(plan):
    return {one.id: str(one.status) for one in plan.tasks}


def test_tasks_run_after_what_they_need(run):
    plan, steps, _, _ = run([task("c", "b"), task("b", "a"), task("a")])

    assert steps.order == ["a", "b", "c"]
    assert set(states(plan).values()) == {"COMPLETED"}
    assert outcome(plan, cancelled=False) == "completed"


def test_tasks_that_need_nothing_of_each_other_run_at_once(run):
    both = threading.Barrier(2, timeout=10)

    def together(_):
        both.wait()
        return GOOD

    plan, _, _, _ = run([task("a"), task("b")], {"a": [together], "b": [together]}, workers=2)

    assert states(plan) == {"a": "COMPLETED", "b": "COMPLETED"}


def test_what_needs_a_failed_task_is_skipped_and_the_rest_is_done(run):
    plan, steps, _, _ = run([task("a"), task("b", "a"), task("c", "b"), task("d")], {"a": [bad()]})

    assert steps.order == ["a", "d"]
    assert states(plan) == {"a": "ERROR", "b": "NOT_STARTED", "c": "NOT_STARTED", "d": "COMPLETED"}
    assert [plan.task(name).board.state.skipped for name in "bc"] == ["a failed", "b was not run"]
    assert plan.task("a").error_info.message == "it is wrong"
    assert outcome(plan, cancelled=False) == "failed"


def test_a_timeout_is_tried_once_more_with_twice_the_time(run):
    plan, steps, _, _ = run([task("a")], {"a": [TIMEOUT, TIMEOUT, TIMEOUT]})

    assert [attempt.seconds for _, attempt in steps.asked] == [60.0, 120.0]
    assert plan.task("a").error_info.kind is FailureKind.TIMEOUT


def test_out_of_memory_is_tried_again_with_more_up_to_the_cap(run):
    plan, steps, _, _ = run([task("a")], {"a": [MEMORY, MEMORY]})

    assert [attempt.limits.memory_bytes for _, attempt in steps.asked] == [4 * GIB, 8 * GIB, 16 * GIB]
    assert plan.task("a").board.state.changed == ("memory 4g -> 8g", "memory 8g -> 16g")
    assert plan.task("a").board.state.attempts == 3


def test_a_network_failure_is_tried_again_after_a_wait_that_doubles(run):
    quick = RetryPolicy(backoff_seconds=0.01)
    _, steps, _, _ = run([task("a", hosts=("registry.example",), retry=quick)], {"a": [OFFLINE, OFFLINE]})

    assert [attempt.wait_seconds for _, attempt in steps.asked] == [0.0, 0.01, 0.02]


def test_a_network_failure_without_a_network_is_not_tried_again(run):
    plan, steps, _, _ = run([task("a")], {"a": [OFFLINE]})

    assert len(steps.asked) == 1
    assert "it has no network: name the hosts that it needs" in plan.task("a").error_info.suggestion


def test_a_failure_of_the_program_is_not_repeated(run):
    _, steps, _, _ = run([task("a")], {"a": [bad()]})

    assert len(steps.asked) == 1


def test_an_unsteady_task_is_tried_again_until_it_fails_in_the_same_way(run):
    unsteady = RetryPolicy(failed=5)
    same = [bad("took 12 ms at 0x7f01"), bad("took 99 ms at 0x7fee")]
    plan, steps, _, _ = run([task("a", retry=unsteady), task("b", retry=unsteady)], {
        "a": [bad("first"), bad("then another")], "b": same})

    assert steps.order.count("a") == 3
    assert steps.order.count("b") == 2
    assert plan.task("a").status is TaskStatus.COMPLETED
    assert plan.task("b").error_info.deterministic


def test_a_server_that_still_runs_is_good(run):
    plan, steps, _, _ = run([task("serve", ends=False)], {"serve": [TIMEOUT]})

    assert states(plan) == {"serve": "COMPLETED"}
    assert len(steps.asked) == 1


@pytest.mark.parametrize(("error", "kind"), [
    (UsageError("caps: too much", field="caps"), FailureKind.REFUSED), (SandboxFailure("broken"), FailureKind.SANDBOX)])
def test_what_we_refuse_or_break_is_not_the_programs_failure(run, error, kind):
    plan, _, _, _ = run([task("a")], {"a": [error]})

    assert (plan.task("a").status, plan.task("a").error_info.kind) == (TaskStatus.ERROR, kind)


def test_a_task_that_a_policy_asks_about_waits_and_others_go_on(run):
    plan, _, _, _ = run([task("a"), task("b")], {"a": [ApprovalNeeded(NO_POLICY, approval="1234")]})

    assert states(plan) == {"a": "NOT_STARTED", "b": "COMPLETED"}
    assert "windtunnel approvals approve 1234" in plan.task("a").error_info.suggestion
    assert outcome(plan, cancelled=False) == "waiting"


def test_an_execution_goes_on_where_it_was_killed(run):
    plan, _, held, _ = run([task("a"), task("b", "a")], {"b": [bad()]})
    run.store.note(held.id, "b", TaskState(status=TaskStatus.IN_PROGRESS, attempts=1))

    again, steps, _, _ = run([task("a"), task("b", "a")], again=held)

    assert again.id == plan.id
    assert steps.order == ["b"]
    assert again.task("b").board.state.attempts == 2


def test_that_a_task_begins_is_written_down_before_it_does(run):
    seen = []

    def looks(_):
        (held,) = run.store.runs(plan_id, owner="me")
        seen.append(run.store.states(held.id)["a"].status)
        return GOOD

    plan_id = TaskPlan(request="", root="/p", tasks=(task("a"),)).id
    run([task("a")], {"a": [looks]})

    assert seen == [TaskStatus.IN_PROGRESS]


def test_somebody_else_can_stop_it_while_a_step_runs(run):
    def waits(steps):
        (held,) = run.store.runs(plan_id, owner="me")
        run.store.cancel(held.id)
        assert steps.stopped.wait(10)
        return ExecutionResult(exit_code=130, reason=Reason.CANCELLED)

    tasks = [task("a"), task("b", "a")]
    plan_id = TaskPlan(request="", root="/p", tasks=tuple(tasks)).id
    plan, steps, held, course = run(tasks, {"a": [waits]})

    assert course.cancelled
    assert steps.order == ["a"]
    assert (states(plan)["a"], plan.task("a").board.state.skipped) == ("NOT_STARTED", "cancelled")
    assert outcome(plan, cancelled=True) == "cancelled"
    run.store.release(held.id, "cancelled")
    assert run.store.claim(held.id)
    again, steps, _, _ = run([task("a"), task("b", "a")], again=held)
    assert steps.order == ["a", "b"]
    assert outcome(again, cancelled=False) == "completed"


@pytest.mark.parametrize("ending", [
    Cancelled("cancelled before the next program began"), ExecutionResult(exit_code=130, reason=Reason.CANCELLED)])
def test_one_whose_program_was_cancelled_begins_nothing_more(run, ending):
    plan, steps, _, course = run([task("a"), task("b")], {"a": [ending]})

    assert (course.cancelled, steps.order, states(plan)) == (True, ["a"], {"a": "NOT_STARTED", "b": "NOT_STARTED"})


def test_whoever_watches_hears_of_every_step(run):
    run([task("a"), task("b", "a")], {"a": [TIMEOUT, bad()]})

    assert [(event.task, event.kind) for event in run.events] == [
        ("a", "begun"), ("a", "output"), ("a", "retry"), ("a", "begun"), ("a", "output"), ("a", "ended"),
        ("b", "skipped")]


def test_a_watcher_that_fails_ends_the_execution_and_nothing_hangs(tmp_path):
    store, steps = PlanStore(tmp_path / "plans.db"), Steps()
    plan = TaskPlan(request="", root="/p", tasks=(task("a"), task("b", "a")))

    def breaks(event):
        raise RuntimeError(event.kind)

    course = Course(plan, store.begin(plan.id, owner="me", workspace="w", approved=False), Means(
        step=steps, stop=steps.stopped.set, store=store, room=ROOM, diagnose=lambda _: Diagnosis(), tell=breaks))
    with pytest.raises(RuntimeError, match="begun"):
        course.run()
    assert steps.stopped.is_set()
    store.close()


def test_more_context_is_really_more():
    planned = first(task("a", hosts=("a.example",)), ROOM)

    more = enhanced(task("a", hosts=("a.example",)), ROOM, kind=FailureKind.TIMEOUT, hosts=("b.example",))

    assert more.seconds == 4 * planned.seconds
    assert more.limits.memory_bytes == 2 * planned.limits.memory_bytes
    assert more.limits.output_bytes == 8 * planned.limits.output_bytes
    assert more.hosts == ("a.example", "b.example")
    assert len(more.changed) == 4


def test_more_context_gives_no_network_where_none_may_be_or_another_was_agreed_to():
    barred = enhanced(task("a"), replace(ROOM, network=False), kind=None, hosts=("b.example",))
    agreed = enhanced(task("a", approval="git push"), ROOM, kind=None, hosts=("b.example",))

    assert (barred.hosts, agreed.hosts) == ((), ())


def test_nothing_is_asked_for_above_the_caps():
    tight = Room(caps=replace(CAPS, memory_bytes=GIB, output_bytes=1000), most_seconds=10.0)

    made = enhanced(task("a"), tight, kind=FailureKind.MEMORY)

    assert (made.seconds, made.limits.memory_bytes, made.limits.output_bytes) == (10.0, GIB, 1000)
    assert isinstance(made.limits, Limits)
