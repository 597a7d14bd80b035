"""The course of one execution: what is ready is begun, several at once, until nothing is left or somebody stops it.

What holds: that a task begins is written down before it does, and how it ended before anything that waits for it does;
so an execution whose process was killed goes on with the task that it was at. A task's files are kept only when it
succeeds, so that every attempt starts from the files that its predecessors left. What does not hold: where the process
dies between keeping a task's files and writing down that it is done, the task runs once more over its own results.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from windtunnel.core.errors import ApprovalNeeded, Cancelled, UsageError, WindtunnelError
from windtunnel.core.plan import (
    ErrorInfo,
    FailureKind,
    PlanRun,
    Task,
    TaskEvent,
    TaskPlan,
    TaskState,
    TaskStatus,
)
from windtunnel.core.problem import Diagnosis
from windtunnel.core.result import ExecutionResult, Reason
from windtunnel.engine.execute.attempt import Attempt, Room, first, following
from windtunnel.engine.execute.failure import error_of, fingerprint, is_good, kind_of, output_of
from windtunnel.engine.plan.check import in_order
from windtunnel.store.plans import MOST_OUTPUT, PlanStore

_LOOK_SECONDS = 0.2
_CANCELLED = "cancelled"

Step = Callable[[Task, Attempt, Callable[[str, bytes], None]], ExecutionResult]
"""Runs one attempt to its end; hears of output as it comes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """All that an execution works with."""

    step: Step
    stop: Callable[[], None]
    """Ends all steps that are under way, soon."""
    store: PlanStore
    room: Room
    diagnose: Callable[[str], Diagnosis]
    """What the output of a task says."""
    tell: Callable[[TaskEvent], None] = lambda _: None
    workers: int = os.cpu_count() or 1


class Course:
    """One execution under way, in this process."""

    def __init__(self, plan: TaskPlan, run: PlanRun, means: Means) -> None:
        """Take up what is known of it: what was done stays done, what was under way begins anew."""
        self._plan, self._run, self._means = plan, run, means
        self._cancelled = threading.Event()
        self._under_way: dict[Future[None], Task] = {}
        known = means.store.states(run.id)
        for task in plan.tasks:
            task.board.run = run.id
            task.board.state = _taken_up(known.get(task.id, TaskState()))

    @property
    def cancelled(self) -> bool:
        """Whether somebody stopped it."""
        return self._cancelled.is_set()

    def run(self) -> None:
        """Until nothing more can be begun."""
        left = list(in_order(self._plan.tasks))
        with ThreadPoolExecutor(max_workers=self._means.workers, thread_name_prefix="windtunnel-task") as pool:
            try:
                while True:
                    left = self._begin(left, pool)
                    if not self._under_way:
                        break
                    self._wait()
            except BaseException:
                self.cancel()
                raise
        for task in left:
            self._set(task, replace(task.board.state, skipped=_CANCELLED), "skipped")

    def attempt(self, task: Task, begin: Attempt) -> TaskState:
        """One task alone, from an attempt of the caller's choice, with its usual retries."""
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="windtunnel-task") as pool:
            try:
                self._under_way[pool.submit(self._carry_out, task, begin)] = task
                while self._under_way:
                    self._wait()
            except BaseException:
                self.cancel()
                raise
        return task.board.state

    def cancel(self) -> None:
        """End what is under way, and begin nothing more."""
        if not self._cancelled.is_set():
            self._cancelled.set()
            self._means.stop()

    def _begin(self, left: list[Task], pool: ThreadPoolExecutor) -> list[Task]:
        """Begin what is ready as far as there is room; what cannot be any more is skipped. Gives what is left."""
        waiting: list[Task] = []
        for task in left:
            before = [self._plan.task(name) for name in task.depends_on]
            bad = [one for one in before if one.status is TaskStatus.ERROR or one.board.state.skipped]
            if task.status in (TaskStatus.COMPLETED, TaskStatus.ERROR):
                continue
            if bad:
                why = "was not run" if bad[0].board.state.skipped else "failed"
                self._set(task, TaskState(attempts=task.board.state.attempts, skipped=f"{bad[0].id} {why}"), "skipped")
            elif len(self._under_way) < self._means.workers and not self.cancelled and (
                    all(one.status is TaskStatus.COMPLETED for one in before)):
                self._under_way[pool.submit(self._carry_out, task, first(task, self._means.room))] = task
            else:
                waiting.append(task)
        return waiting

    def _wait(self) -> None:
        """For the end of a task, looking now and then whether somebody wants it to stop."""
        done, _ = wait(self._under_way, timeout=_LOOK_SECONDS, return_when=FIRST_COMPLETED)
        for future in done:
            del self._under_way[future]
            future.result()
        if not self.cancelled and self._means.store.is_cancelled(self._run.id):
            self.cancel()

    def _carry_out(self, task: Task, attempt: Attempt) -> None:
        seen: set[str] = set()
        if (info := task.board.state.error_info) is not None:
            seen.add(info.fingerprint)
        tried = dict.fromkeys(FailureKind, 0)
        while True:
            self._began(task, attempt)
            result = self._result(task, attempt)
            if result is None:
                return
            if is_good(task, result):
                self._ended(task, result, TaskStatus.COMPLETED, None)
                return
            if self.cancelled or result.reason is Reason.CANCELLED:
                self.cancel()
                self._stopped(task)
                return
            kind, mark = kind_of(result), fingerprint(result)
            tried[kind] += 1
            again = None if kind is FailureKind.FAILED and mark in seen else following(
                task, attempt, kind, self._means.room, tried=tried[kind])
            if again is None:
                self._failed(task, result, deterministic=mark in seen and kind is FailureKind.FAILED)
                return
            seen.add(mark)
            self._tell("retry", task, f"{kind}: {again.changed[-1]}")
            self._cancelled.wait(again.wait_seconds)
            attempt = again

    def _result(self, task: Task, attempt: Attempt) -> ExecutionResult | None:
        """Of one step; none where nothing ran, or our side failed, which is noted."""
        try:
            return self._means.step(task, attempt, lambda _, data: self._tell("output", task, _text(data)))
        except ApprovalNeeded as needed:
            info = ErrorInfo(kind=FailureKind.APPROVAL, message=str(needed)[:500],
                             suggestion=f"windtunnel approvals approve {needed.approval}, then execute the plan again")
            self._set(task, replace(task.board.state, status=TaskStatus.NOT_STARTED, error_info=info,
                                    skipped="waits for a person"), "skipped")
        except WindtunnelError as error:
            if self.cancelled or isinstance(error, Cancelled):
                self.cancel()
                self._stopped(task)
                return None
            kind = FailureKind.REFUSED if isinstance(error, UsageError) else FailureKind.SANDBOX
            hint = "" if isinstance(error, UsageError) else "it says nothing about the program: try it again"
            info = ErrorInfo(kind=kind, message=str(error)[:500], suggestion=hint)
            self._set(task, replace(task.board.state, status=TaskStatus.ERROR, error_info=info, ended=_now()), "ended")
        return None

    def _began(self, task: Task, attempt: Attempt) -> None:
        state = TaskState(status=TaskStatus.IN_PROGRESS, attempts=task.board.state.attempts + 1, begun=_now(),
                          changed=attempt.changed, error_info=task.board.state.error_info)
        self._set(task, state, "begun")

    def _ended(self, task: Task, result: ExecutionResult, status: TaskStatus, info: ErrorInfo | None) -> None:
        self._set(task, replace(
            task.board.state, status=status, exit_code=result.exit_code, reason=str(result.reason), ended=_now(),
            seconds=round(result.execution_time, 3), output=output_of(result, most=MOST_OUTPUT), error_info=info),
            "ended")

    def _stopped(self, task: Task) -> None:
        state = replace(task.board.state, status=TaskStatus.NOT_STARTED, skipped=_CANCELLED)
        self._set(task, state, _CANCELLED)

    def _failed(self, task: Task, result: ExecutionResult, *, deterministic: bool) -> None:
        diagnosis = self._means.diagnose(f"{result.stdout}\n{result.stderr}")
        info = error_of(task, self._plan, result, diagnosis=diagnosis, deterministic=deterministic)
        self._ended(task, result, TaskStatus.ERROR, info)

    def _set(self, task: Task, state: TaskState, kind: str) -> None:
        """Written down first, then seen."""
        self._means.store.note(self._run.id, task.id, state)
        task.board.state = state
        self._tell(kind, task)

    def _tell(self, kind: str, task: Task, text: str = "") -> None:
        self._means.tell(TaskEvent(kind=kind, task=task.id, state=task.board.state, text=text))


def _taken_up(state: TaskState) -> TaskState:
    """As an execution finds it: what was under way or skipped is to be done."""
    if state.status in (TaskStatus.IN_PROGRESS, TaskStatus.NOT_STARTED):
        return TaskState(attempts=state.attempts)
    return state


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")


def outcome(plan: TaskPlan, *, cancelled: bool) -> str:
    """How an execution ended, in one word."""
    states = [task.board.state for task in plan.tasks]
    if all(state.success for state in states):
        return "completed"
    if cancelled:
        return _CANCELLED
    waits = any(state.error_info is not None and state.error_info.kind is FailureKind.APPROVAL for state in states)
    return "waiting" if waits else "failed"
