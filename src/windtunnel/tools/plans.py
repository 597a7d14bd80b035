"""Rows about plans: made from words, looked at, agreed to, carried out, tried again, stopped."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import BaseModel, Field

from windtunnel.core.approval import State
from windtunnel.core.errors import NotFound, UsageError
from windtunnel.core.plan import ExecutionReport, Task, TaskEvent, TaskPlan, TaskState
from windtunnel.tools.deciding import check_other
from windtunnel.tools.row import Context, Given, OnProject, Told, Tool
from windtunnel.tools.shaping import lines
from windtunnel.tunnel import Tunnel

_PERMISSION = "execute_tasks"
_LOOK_SECONDS = 0.2
_PLAN = Field(min_length=4, max_length=200, description="As create_task_plan gave it.")
_HOSTS: Any = Field(default_factory=list, max_length=50, description="Hosts that tasks may reach beside the registries "
                    "that they need.")


class CreatePlan(OnProject):
    """What is to be done, in plain words."""

    task_description: str = Field(min_length=1, max_length=4000, description="Such as: install, build and run all "
                                  "tests.")
    allow_hosts: list[Annotated[str, Field(max_length=300)]] = _HOSTS


class OnePlan(Given):
    """Which."""

    plan_id: str = _PLAN


class ApprovePlan(OnePlan):
    """A person's word."""

    approve: bool = True
    note: str = Field(default="", max_length=2000)


class ExecutePlan(OnePlan):
    """How."""

    max_concurrent_tasks: int | None = Field(default=None, ge=1, le=64)
    fresh: bool = Field(default=False, description="Begin anew instead of going on with what was interrupted.")


class RetryTask(OnePlan):
    """Which task."""

    task_id: str = Field(min_length=1, max_length=200)
    enhanced_context: bool = Field(default=False, description="Twice the time and memory, more output, and the "
                                   "registries of its package manager.")
    changed: bool = Field(default=False, description="Say that you changed something since; a failure that would only "
                          "come again is not repeated otherwise.")
    allow_hosts: list[Annotated[str, Field(max_length=300)]] = _HOSTS


class OneTask(BaseModel):
    """One step, and how it stands."""

    id: str
    description: str
    command: str
    folder: str
    depends_on: list[str]
    risk: str
    hosts: list[str]
    needs_approval: str
    status: str
    attempts: int
    exit_code: int | None
    error: str
    diagnosis: list[str]
    suggestion: str
    output: str


class PlanTold(Told):
    """A plan."""

    plan_id: str
    digest: str = Field(description="Over all that is executed; an approval is for this and nothing else.")
    risk: str
    tasks: list[OneTask]
    questions: list[str] = Field(description="What was asked for and not understood, or not found.")
    notes: list[str]


class ExecutionTold(Told):
    """How an execution went."""

    plan_id: str
    outcome: str = Field(description="completed, failed, waiting for a person, or cancelled.")
    success: bool
    workspace_id: str
    tasks_completed: int
    tasks_failed: int
    tasks_skipped: int
    tasks: list[OneTask]
    notes: list[str]
    seconds: float


class TaskTold(Told):
    """How a task stands."""

    success: bool
    task: OneTask


class CancelledTold(Told):
    """What was stopped."""

    plan_id: str
    workspace_id: str


def _task(task: Task, state: TaskState | None = None) -> OneTask:
    state = state or task.board.state
    info = state.error_info
    return OneTask(
        id=task.id, description=task.description[:300], command=task.command[:1000], folder=task.folder,
        depends_on=list(task.depends_on), risk=task.risk, hosts=list(task.hosts[:20]), needs_approval=task.approval,
        status=str(state.status), attempts=state.attempts, exit_code=state.exit_code,
        error="" if info is None else info.message[:500], diagnosis=[] if info is None else list(info.diagnosis[:5]),
        suggestion=state.skipped if info is None else info.suggestion[:500],
        output="" if state.success else lines(state.output, most=1500))


def _told(plan: TaskPlan, reason: str, next_: str) -> PlanTold:
    return PlanTold(reason=reason, next=next_, plan_id=plan.id, digest=plan.digest, risk=plan.risk,
                    tasks=[_task(task) for task in plan.tasks[:100]], questions=[one[:300] for one in plan.questions],
                    notes=[one[:300] for one in plan.notes])


def _create(context: Context, given: CreatePlan) -> PlanTold:
    project = context.project(given)
    view = context.within(project)
    plan = view.plan(given.task_description, view.analyze(project), allow_hosts=(*given.allow_hosts, *context.hosts))
    marked = [task.id for task in plan.approvals]
    how = (f"A person must agree to {', '.join(marked)} first: execute_task_plan asks, approve_task_plan answers."
           if marked else "Show it, then call execute_task_plan.")
    return _told(plan, f"{len(plan.tasks)} tasks, risk {plan.risk}.", how if plan.tasks else "Ask in other words.")


def _get(context: Context, given: OnePlan) -> PlanTold:
    plan = context.tunnel.plans.get(given.plan_id)
    done = sum(task.board.state.success for task in plan.tasks)
    return _told(plan, f"{done} of {len(plan.tasks)} tasks are done.", "")


def _approve(context: Context, given: ApprovePlan) -> Told:
    """The plan is somebody else's, so it is found by the question that its execution put to people."""
    for asked in context.tunnel.approvals.all(State.REQUESTED):
        if asked.verb == "execute" and _plan_of(context.tunnel, asked.id).startswith(given.plan_id):
            check_other(context, asked)
            decided = context.tunnel.decide(asked.id, approve=given.approve, note=given.note)
            word = "agreed to; its owner may execute it now" if given.approve else "denied"
            return Told(reason=f"The plan is {word} ({decided.id}).")
    raise NotFound(f"plan: nobody waits for a word on {given.plan_id[:40]!r} (execute_task_plan asks for one)",
                   field="plan")


def _plan_of(tunnel: Tunnel, approval: str) -> str:
    try:
        told = json.loads(tunnel.approvals.inputs(approval))
        return str(told["inputs"]["plan"])
    except (ValueError, KeyError, TypeError):
        return ""


def _execute(context: Context, given: ExecutePlan) -> ExecutionTold:
    plans = context.tunnel.plans
    plan = plans.get(given.plan_id)
    done = {task.id: task for task in plan.tasks}

    def tell(event: TaskEvent) -> None:
        if event.kind != "output":
            ended = sum(task.board.state.ended != "" for task in done.values())
            context.tell(f"{event.task} {event.kind} {event.text[:200]}".strip(), ended / len(done) if done else None)

    with _stopped(context, plan.id):
        report = plans.execute(plan, max_concurrent_tasks=given.max_concurrent_tasks or context.tasks, tell=tell,
                               fresh=given.fresh)
    return _report(plan, report)


def _report(plan: TaskPlan, report: ExecutionReport) -> ExecutionTold:
    words = {"completed": "get_diff with workspace_id shows what changed.",
             "failed": "Read the failed task; retry_task with enhanced_context tries it again with more.",
             "waiting": "A person must agree first; see list_approvals.",
             "cancelled": "execute_task_plan goes on with it."}
    return ExecutionTold(
        reason=f"{report.outcome}: {report.tasks_completed} of {len(plan.tasks)} tasks are done, "
        f"{report.tasks_failed} failed.", next=words.get(report.outcome, ""), plan_id=plan.id, outcome=report.outcome,
        success=report.success, workspace_id=report.workspace, tasks_completed=report.tasks_completed,
        tasks_failed=report.tasks_failed, tasks_skipped=report.tasks_skipped, seconds=report.seconds,
        tasks=[_task(task, report.states.get(task.id)) for task in plan.tasks[:100]], notes=list(report.notes[:20]))


@contextlib.contextmanager
def _stopped(context: Context, plan: str) -> Iterator[None]:
    """While it goes on, whether its caller gave it up is looked at; then it is cancelled."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(_LOOK_SECONDS):
            if context.stop():
                with contextlib.suppress(UsageError):  # it had not begun, or has just ended
                    context.tunnel.plans.cancel(plan)
                    return

    thread = threading.Thread(target=watch, name="windtunnel-plan", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _retry(context: Context, given: RetryTask) -> TaskTold:
    plans = context.tunnel.plans
    plan = plans.get(given.plan_id)
    with _stopped(context, plan.id):
        state = plans.retry(given.task_id, plan=plan.id, enhanced_context=given.enhanced_context,
                            changed=given.changed, allow_hosts=(*given.allow_hosts, *context.hosts))
    told = _task(plan.task(given.task_id), state)
    return TaskTold(reason=f"{given.task_id} is {state.status}.", success=state.success, task=told,
                    next="execute_task_plan goes on with what waited for it." if state.success else told.suggestion)


def _cancel(context: Context, given: OnePlan) -> CancelledTold:
    run = context.tunnel.plans.cancel(given.plan_id)
    return CancelledTold(reason="It is being stopped; what is done stays done.", plan_id=run.plan,
                         workspace_id=run.workspace, next="execute_task_plan goes on with it.")


ROWS = (
    Tool(name="create_task_plan", title="Plan tasks", permission=_PERMISSION, given=CreatePlan, told=PlanTold,
         act=_create, long=True,
         description="Turns a request in plain words into tasks with commands and an order, for a workspace or "
         "project: install, build, test, lint, format, audit, start. Nothing is run. Returns the plan_id."),
    Tool(name="get_task_plan", title="Show a plan", permission="", given=OnePlan, told=PlanTold, act=_get,
         read_only=True, idempotent=True,
         description="A plan of yours, and how each of its tasks stands."),
    Tool(name="approve_task_plan", title="Agree to a plan", permission="approve", given=ApprovePlan, told=Told,
         act=_approve,
         description="A person's yes or no to a plan that waits for one, for exactly what it was when it was asked. "
         "Nobody agrees to their own."),
    Tool(name="execute_task_plan", title="Execute a plan", permission=_PERMISSION, given=ExecutePlan,
         told=ExecutionTold, act=_execute, long=True, open_world=True,
         description="Carries a plan out in a sandbox, tasks in their order and several at once, each from clean "
         "files. What was interrupted goes on. Returns how each task ended, with a diagnosis of what failed."),
    Tool(name="retry_task", title="Retry a task", permission=_PERMISSION, given=RetryTask, told=TaskTold, act=_retry,
         long=True, open_world=True,
         description="Tries one task of the newest execution again; with enhanced_context it gets more time, memory, "
         "output and network. Use it after you changed something, or when a task ran out of something."),
    Tool(name="cancel_execution", title="Cancel an execution", permission=_PERMISSION, given=OnePlan,
         told=CancelledTold, act=_cancel, idempotent=True,
         description="Stops the execution of a plan of yours; execute_task_plan can go on with it later."),
)
