"""The plans of one owner: made of words or taken from elsewhere, checked, kept and looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from windtunnel.core.analysis import Analysis
from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.core.plan import ExecutionReport, PlanRun, TaskPlan, TaskState
from windtunnel.core.policy import Request
from windtunnel.core.workspace import Workspace
from windtunnel.engine import particulars
from windtunnel.engine.acts import Acts
from windtunnel.engine.plan.check import Given, check_plan
from windtunnel.engine.plan.make import make_plan
from windtunnel.engine.workspaces.verbs import Workspaces
from windtunnel.languages.search import which
from windtunnel.store.plans import PlanStore

_MODELS = (None, "openai")
_OPEN = ("open", "cancelled", "waiting")
"""Outcomes of executions that can go on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanEntry:
    """One plan in a list."""

    plan: TaskPlan
    made: str
    run: PlanRun | None = None
    """Its newest execution."""


class PlanBook:
    """Those of one owner; safe to use from many threads."""

    def __init__(self, acts: Acts, workspaces: Callable[[], Workspaces]) -> None:
        """Nothing is opened before it is needed."""
        self._acts, self._workspaces = acts, workspaces
        self.store = PlanStore(acts.settings.state_dir / "plans.db")

    def create(
        self, request: str, analysis: Analysis, *, allow_hosts: Sequence[str] = (), model: str | None = None,
    ) -> TaskPlan:
        """From words and what the project is; stored. ``model`` has one propose it, within the same bounds."""
        if model not in _MODELS:
            raise UsageError(f"model: {model!r:.60} is not one that is known (openai, for any endpoint of that form)",
                             field="model")
        inputs = {"request": str(request)[:4000], "root": analysis.root, "tree": analysis.tree, "model": model or "",
                  "hosts": particulars.some(list(allow_hosts))}
        with self._acts.act("plan", lambda: inputs, request=lambda: Request(verb="plan"), project=analysis.root) as act:
            found = self.workspace_of(analysis.root)
            workspace = found.id if found is not None else ""
            if model is None:
                plan = make_plan(request, analysis, workspace=workspace, allow_hosts=allow_hosts, which=which)
            else:
                from windtunnel.engine.plan.model import propose  # noqa: PLC0415 -- few ask one

                def spend(price: str) -> None:
                    self._acts.spend(price, purpose="plan: a model's answer", project=analysis.root)

                plan = propose(request, analysis, workspace=workspace, allow_hosts=allow_hosts, which=which,
                               spend=spend)
            self.store.put(plan, owner=self._acts.actor)
            act.end("done", subject=plan.id, **told_of(plan))
        return plan

    def add(self, given: Given, *, root: str | None = None, workspace: str | None = None) -> TaskPlan:
        """A plan from elsewhere, checked and stored; where it runs is what the caller says, if that is said."""
        plan = check_plan(given, which=which)
        plan = replace(plan, root=plan.root if root is None else root,
                       workspace=plan.workspace if workspace is None else workspace)
        with self._acts.act("plan", lambda: {"given": plan.digest}, request=lambda: Request(verb="plan"),
                            project=plan.root) as act:
            self.store.put(plan, owner=self._acts.actor)
            act.end("done", subject=plan.id, **told_of(plan))
        return plan

    def get(self, name: str) -> TaskPlan:
        """One of one's own by its id, or how it begins; its tasks stand as in its newest execution."""
        digest, told = self.store.get(name, owner=self._acts.actor)
        plan = check_plan(told)
        if plan.digest != digest:
            raise SandboxFailure(f"plan {name[:40]}: what is stored is not what was planned; plan it again")
        run = self.store.latest(plan.id, owner=self._acts.actor)
        states = self.store.states(run.id) if run is not None else {}
        for task in plan.tasks:
            task.board.state, task.board.run = states.get(task.id, TaskState()), run.id if run is not None else ""
        return plan

    def list(self) -> tuple[PlanEntry, ...]:
        """One's own, newest first."""
        owner = self._acts.actor
        plans = [(made, check_plan(told)) for made, told in self.store.all(owner=owner)]
        return tuple(PlanEntry(plan=plan, made=made, run=self.store.latest(plan.id, owner=owner))
                     for made, plan in plans)

    def workspace_of(self, root: str) -> Workspace | None:
        """The kept workspace that a folder is the tree of, now or before; none where it is any other folder."""
        trees = Path(root).parent
        folder = self._acts.settings.state_dir / "workspaces"
        if trees.name != "trees" or trees.parent.parent.resolve() != folder.resolve():
            return None
        return self._workspaces().get(trees.parent.name)

    def is_open(self, name: str) -> bool:
        """Whether the newest execution of a plan can go on."""
        run = self.store.latest(self.get(name).id, owner=self._acts.actor)
        return can_go_on(run)

    def report(self, name: str) -> ExecutionReport:
        """How the newest execution of a plan stands."""
        plan = self.get(name)
        run = self.store.latest(plan.id, owner=self._acts.actor)
        if run is None:
            raise UsageError(f"plan: {plan.id} was not executed yet (windtunnel execute {plan.id})", field="plan")
        states = {task.id: task.board.state for task in plan.tasks}
        return ExecutionReport(plan=plan.id, run=run.id, workspace=run.workspace, outcome=run.outcome, states=states)

    def close(self) -> None:
        """Let go of the files."""
        self.store.close()


def can_go_on(run: PlanRun | None) -> bool:
    """Whether an execution was begun and is not over."""
    return run is not None and run.outcome in _OPEN


def told_of(plan: TaskPlan) -> Mapping[str, object]:
    """What is written down of a plan."""
    return {"digest": plan.digest, "risk": plan.risk, "root": plan.root, "workspace": plan.workspace,
            "tasks": {task.id: task.command[:500] for task in plan.tasks},
            "approvals": particulars.some([task.id for task in plan.approvals])}
