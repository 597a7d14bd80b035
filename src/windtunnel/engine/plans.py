"""What is done by plans, in one owner's name: executed, gone on with, tried again, stopped."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from windtunnel.core.errors import NotFound, UsageError
from windtunnel.core.plan import (
    ExecutionReport,
    PlanRun,
    Task,
    TaskEvent,
    TaskPlan,
    TaskState,
    TaskStatus,
    plain_plan,
)
from windtunnel.core.policy import Request
from windtunnel.core.ports import Network, Rig
from windtunnel.core.result import ExecutionResult, Level
from windtunnel.engine import particulars
from windtunnel.engine.acting import Stoppable
from windtunnel.engine.acts import Acts, within
from windtunnel.engine.diagnose import read_output
from windtunnel.engine.execute.attempt import Attempt, Room, enhanced, first
from windtunnel.engine.execute.course import Course, Means, outcome
from windtunnel.engine.execute.failure import is_good
from windtunnel.engine.given import Project
from windtunnel.engine.plan.book import PlanBook, can_go_on, told_of
from windtunnel.engine.plan.check import check_plan
from windtunnel.engine.plan.registries import hosts_of
from windtunnel.engine.record import Act
from windtunnel.engine.workspaces.verbs import Workspaces
from windtunnel.workspace.tree import Tree

Tell = Callable[[TaskEvent], None]
_MOST_WORKERS = 64


class Plans(PlanBook):
    """Plans, and what is done by them; safe to use from many threads."""

    def __init__(
        self, acts: Acts, workspaces: Callable[[], Workspaces], *, rig: Callable[[], Rig], level: Level | None,
        journal: Path,
    ) -> None:
        """What runs at the same time shares the sandbox of ``rig``; stopping one execution ends no other."""
        super().__init__(acts, workspaces)
        self._rig, self._level, self._journal = rig, level, journal

    def execute(
        self, plan: TaskPlan | str, *, max_concurrent_tasks: int | None = None, tell: Tell | None = None,
        fresh: bool = False,
    ) -> ExecutionReport:
        """Carry a plan out; one that was killed, cancelled or waits for a person goes on, unless it is to be ``fresh``.

        What is done of it is visible on the plan that was given.
        """
        workers = _workers(max_concurrent_tasks)
        plan = self._stored(plan)
        begun = time.monotonic()
        with self._acts.act("execute", lambda: {"plan": plan.id, **told_of(plan)}, exact=lambda: plan.digest,
                            request=lambda: self._request(plan), project=self.project_of(plan)) as act:
            run, notes = self._taken(plan, act, fresh=fresh)
            with self._course(plan, run, act, tell=tell, workers=workers) as course:
                course.run()
            report = ExecutionReport(
                plan=plan.id, run=run.id, workspace=run.workspace, outcome=outcome(plan, cancelled=course.cancelled),
                states={task.id: task.board.state for task in plan.tasks},
                seconds=round(time.monotonic() - begun, 3), notes=notes)
            act.end(report.outcome, subject=plan.id, run=run.id, workspace=run.workspace,
                    tasks={name: str(state.status) for name, state in report.states.items()})
        unrecorded = (f"not written down: {act.unrecorded}",) if act.unrecorded else ()
        return replace(report, notes=(*report.notes, *unrecorded))

    def retry(
        self, task: Task | str, *, plan: str = "", enhanced_context: bool = False, changed: bool = False,
        allow_hosts: Sequence[str] = (), tell: Tell | None = None,
    ) -> TaskState:
        """Try one task of the newest execution again, alone; tasks that wait for it go on with the next ``execute``.

        With ``enhanced_context`` it gets twice the time and memory, eight times the output, and the registries of its
        manager. A failure that came twice alike is not repeated unchanged, unless the caller ``changed`` something.
        """
        name, board = (task, None) if isinstance(task, str) else (task.id, task.board)
        plan_name = plan or (board.plan if board is not None else "")
        whole = self.get(plan_name)
        chosen = whole.task(name)
        if board is not None and not isinstance(task, str):
            if task != chosen:
                raise UsageError(f"task: {name} is not as it was planned (plan it again)", field="task")
            board.state = chosen.board.state
            whole = replace(whole, tasks=tuple(task if one.id == name else one for one in whole.tasks))
            chosen = task
        run = self._for_retry(whole, chosen, blindly=not enhanced_context and not changed)
        info = chosen.error_info
        room = self._room()
        hosts = hosts_of(chosen.manager, allow_hosts=allow_hosts)
        attempt = enhanced(chosen, room, kind=info.kind if info is not None else None, hosts=hosts) if (
            enhanced_context) else first(chosen, room)
        with self._acts.act("execute", lambda: {"plan": whole.id, "retry": name, "enhanced": enhanced_context},
                            exact=lambda: (whole.digest, name), request=lambda: self._request(whole, only=chosen),
                            project=self.project_of(whole)) as act:
            if chosen.approval and not run.approved:
                self._ask(act, whole)
            if not self.store.claim(run.id):
                raise _busy(whole)
            with self._course(whole, run, act, tell=tell, workers=1) as course:
                state = course.attempt(chosen, attempt)
            act.end(str(state.status), subject=whole.id, run=run.id, changed=particulars.some(state.changed))
        return state

    def cancel(self, name: str) -> PlanRun:
        """Have whoever executes a plan stop, in this process or another; what is done stays done."""
        _, told = self.store.get(name, owner=self._acts.actor)
        plan = check_plan(told)
        run = self.store.latest(plan.id, owner=self._acts.actor)
        if run is None or not run.running:
            raise UsageError(f"plan: {plan.id} is not being executed", field="plan")
        with self._acts.act("cancel", lambda: {"plan": plan.id, "run": run.id},
                            request=lambda: Request(verb="cancel")) as act:
            self.store.cancel(run.id)
            act.end("done", subject=plan.id)
        return run

    def project_of(self, plan: TaskPlan) -> str:
        """The folder whose own policy counts: that which a workspace was made from, which no program of it changes."""
        if not plan.workspace:
            return plan.root
        found = self._workspaces().get(plan.workspace)
        return found.source if found.origin == "path" else plan.root

    # --- inside ---

    def _stored(self, plan: TaskPlan | str) -> TaskPlan:
        if isinstance(plan, str):
            return self.get(plan)
        checked = check_plan(plan)
        self.store.put(checked, owner=self._acts.actor)
        return checked

    def _taken(self, plan: TaskPlan, act: Act, *, fresh: bool) -> tuple[PlanRun, tuple[str, ...]]:
        """The execution to go on with, or a new one; held by this process from now on."""
        owner = self._acts.actor
        last = None if fresh else self.store.latest(plan.id, owner=owner)
        if last is not None and last.running:
            raise _busy(plan)
        going_on = last if last is not None and can_go_on(last) and self._is_there(last.workspace) else None
        if going_on is None and plan.approvals and _has_moved(plan, self._folder(plan)):
            raise _moved(plan)  # nobody is asked about what is not there any more
        if plan.approvals and not (going_on is not None and going_on.approved):
            self._ask(act, plan)
        if going_on is not None:
            if not self.store.claim(going_on.id):
                raise _busy(plan)
            done = sum(state.success for state in self.store.states(going_on.id).values())
            return going_on, (f"goes on from before: {done} of {len(plan.tasks)} tasks were done",)
        workspace = self._workspaces().get(plan.workspace) if plan.workspace else self._workspaces().create(plan.root)
        moved = _has_moved(plan, workspace.path)
        if moved and plan.approvals:
            raise _moved(plan)
        notes = ("the project has changed since it was planned",) if moved else ()
        return self.store.begin(plan.id, owner=owner, workspace=workspace.id, approved=bool(plan.approvals)), notes

    def _folder(self, plan: TaskPlan) -> str:
        return self._workspaces().get(plan.workspace).path if plan.workspace else plan.root

    def _is_there(self, workspace: str) -> bool:
        try:
            self._workspaces().get(workspace)
        except NotFound:
            return False
        return True

    def _for_retry(self, plan: TaskPlan, task: Task, *, blindly: bool) -> PlanRun:
        run = self.store.latest(plan.id, owner=self._acts.actor)
        if run is None:
            raise UsageError(f"plan: {plan.id} was not executed yet (windtunnel execute {plan.id})", field="plan")
        if run.running:
            raise _busy(plan)
        before = [name for name in task.depends_on if not plan.task(name).board.state.success]
        if before:
            raise UsageError(f"task: {task.id} comes after {', '.join(before)}, which is not done", field="task")
        info = task.error_info
        if blindly and info is not None and info.deterministic:
            raise UsageError(f"task: {task.id} failed twice in the same way, and would again (change something and say "
                             "changed=True, or use enhanced_context=True)", field="task")
        return run

    def _ask(self, act: Act, plan: TaskPlan) -> None:
        """A person's yes to this plan and no other."""
        marked = plan.approvals
        reason = "; ".join(f"{task.id}: {task.approval}" for task in marked[:5])[:1000]
        self._acts.ask(act, self._request(plan), reason=reason, exact=lambda: plan.digest,
                       project=self.project_of(plan), inputs=lambda: {
                           "plan": plan.id, "digest": plan.digest, "tasks": plain_plan(plan)["tasks"]})

    @contextlib.contextmanager
    def _course(
        self, plan: TaskPlan, run: PlanRun, act: Act, *, tell: Tell | None, workers: int,
    ) -> Iterator[Course]:
        """An execution that can be stopped alone; however it ends, that is written down and nothing is left behind."""
        ended = ["open"]
        stopped = threading.Event()
        with contextlib.ExitStack() as stack:
            stack.callback(lambda: self.store.release(run.id, ended[0]))
            rig = self._rig()
            rig = replace(rig, sandbox=Stoppable(rig.sandbox, stopped.is_set))
            walled = within(rig, replace(act, purse=None))
            means = Means(
                step=lambda task, attempt, heard: self._step(
                    plan, task, attempt, heard=heard, rig=walled, workspace=run.workspace, parent=act.id),
                stop=stopped.set, store=self.store, room=self._room(), tell=tell or (lambda _: None),
                workers=workers,
                diagnose=lambda text: read_output(text, project=self._workspaces().get(run.workspace).path))
            course = Course(plan, run, means)
            yield course
            ended[0] = outcome(plan, cancelled=course.cancelled)
            if ended[0] == "failed" and _goes_on(plan):
                ended[0] = "open"

    def _step(
        self, plan: TaskPlan, task: Task, attempt: Attempt, *, heard: Callable[[str, bytes], None], rig: Rig,
        workspace: str, parent: str,
    ) -> ExecutionResult:
        """One attempt at one task, as an act of its own."""
        limits = replace(attempt.limits, wall_seconds=attempt.seconds)
        network = Network(allow_hosts=attempt.hosts)
        told = {"plan": plan.id, "task": task.id, "command": task.command, "folder": task.folder, "risk": task.risk,
                "hosts": particulars.some(list(attempt.hosts)), "changed": particulars.some(attempt.changed),
                "limits": particulars.as_json(limits)}
        request = Request(verb="task", commands=(task.command,), network=network, limits=limits, risk=task.risk,
                          level=self._level)
        with self._acts.act("task", lambda: told, request=lambda: request, parent=parent, project=self.project_of(plan),
                            exact=lambda: (plan.digest, task.id, attempt.hosts, limits)) as act:
            walled = within(rig, replace(act, purse=None))
            runner = Workspaces(self._acts, lambda: walled, level=self._level, journal=self._journal)
            try:
                result = runner.execute(
                    workspace, task.line, folder=task.folder, env=task.env, limits=attempt.limits,
                    timeout=attempt.seconds, allow_hosts=attempt.hosts, keep="success", on_output=heard)
            finally:
                runner.close()
            ended = "done" if is_good(task, result) else particulars.outcome(result)
            act.end(ended, subject=task.id, run=result.id, exit_code=result.exit_code, seconds=result.execution_time)
        return result

    def _request(self, plan: TaskPlan, *, only: Task | None = None) -> Request:
        tasks = plan.tasks if only is None else (only,)
        hosts = tuple(dict.fromkeys(host for task in tasks for host in task.hosts))
        return Request(verb="execute", commands=tuple(task.command for task in tasks), level=self._level,
                       network=Network(allow_hosts=hosts), risk=plan.risk if only is None else only.risk)

    def _room(self) -> Room:
        settings = self._acts.settings
        return Room(caps=settings.caps, most_seconds=settings.trial_seconds, network=settings.allow_network)


def folder_of(workspaces: Workspaces, where: Project) -> Project:
    """The files of the kept workspace of this name; a path that is none is itself."""
    if isinstance(where, str) and "/" not in where and not Path(where).is_dir():
        return workspaces.get(where).path
    return where


def _has_moved(plan: TaskPlan, folder: str) -> bool:
    """Whether the files are not those that were planned for."""
    return bool(plan.tree) and Tree(Path(folder)).digest() != plan.tree


def _goes_on(plan: TaskPlan) -> bool:
    """Whether something is left that could be done now: after a retry that mended what it waited for."""
    return any(task.status is TaskStatus.NOT_STARTED and all(plan.task(name).board.state.success
                                                             for name in task.depends_on) for task in plan.tasks)


def _workers(given: int | None) -> int:
    if given is None:
        return min(os.cpu_count() or 1, _MOST_WORKERS)
    if type(given) is not int or not 1 <= given <= _MOST_WORKERS:
        raise UsageError(f"max_concurrent_tasks: not a number from 1 to {_MOST_WORKERS}: {given!r:.40}",
                         field="max_concurrent_tasks")
    return given


def _moved(plan: TaskPlan) -> UsageError:
    return UsageError(f"plan: the files have changed since {plan.id} was planned, and a person's yes is for those "
                      "alone (plan it again)", field="plan")


def _busy(plan: TaskPlan) -> UsageError:
    return UsageError(f"plan: {plan.id} is being executed already (windtunnel execute {plan.id} --cancel stops it)",
                      field="plan")
