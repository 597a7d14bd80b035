"""Doors to plans: words become tasks, and tasks are carried out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from windtunnel.core.analysis import Analysis
from windtunnel.core.plan import ExecutionReport, PlanRun, Task, TaskEvent, TaskPlan, TaskState, TaskStatus
from windtunnel.tunnel import Tunnel

__all__ = ["ExecutionEngine", "TaskPlanner", "TaskStatus"]


class _Door:
    """Holds a tunnel: the one that was given, or its own, which it closes."""

    def __init__(self, tunnel: Tunnel | None = None) -> None:
        """Nothing is started before it is needed."""
        self._given, self._own = tunnel, None if tunnel is not None else Tunnel(pool_size=0)

    @property
    def tunnel(self) -> Tunnel:
        """What it works with."""
        found = self._given or self._own
        assert found is not None
        return found

    def close(self) -> None:
        """Let go of its own tunnel."""
        if self._own is not None:
            self._own.close()

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close."""
        self.close()


class TaskPlanner(_Door):
    """Makes plans of requests in plain words."""

    def __init__(
        self, tunnel: Tunnel | None = None, *, allow_hosts: Sequence[str] = (), model: str | None = None,
    ) -> None:
        """``allow_hosts`` are what installs may reach; ``model`` has a model propose the plan (``openai``)."""
        super().__init__(tunnel)
        self._allow_hosts, self._model = tuple(allow_hosts), model

    def create_plan(self, description: str, analysis: Analysis) -> TaskPlan:
        """What to do with the project that was analysed; of a kept workspace, it runs there."""
        return self.tunnel.plans.create(description, analysis, allow_hosts=self._allow_hosts, model=self._model)


class ExecutionEngine(_Door):
    """Carries plans out; how each task stands is seen on the plan."""

    def __init__(
        self, tunnel: Tunnel | None = None, *, max_concurrent_tasks: int | None = None,
        on_event: Callable[[TaskEvent], None] | None = None,
    ) -> None:
        """As many tasks at once as there are processors, where nothing is said."""
        super().__init__(tunnel)
        self._workers, self._tell = max_concurrent_tasks, on_event

    def execute_plan(self, plan: TaskPlan | str) -> ExecutionReport:
        """All of it, or the rest of it where it was stopped."""
        return self.tunnel.execute(plan, max_concurrent_tasks=self._workers, tell=self._tell)

    def retry_task(
        self, task: Task, enhanced_context: bool = False, *, changed: bool = False, allow_hosts: Sequence[str] = (),  # noqa: FBT001, FBT002 -- the described system's own signature
    ) -> TaskState:
        """One task again; with ``enhanced_context`` with more time, memory and output, and the registries it needs."""
        return self.tunnel.plans.retry(task, enhanced_context=enhanced_context, changed=changed,
                                       allow_hosts=allow_hosts, tell=self._tell)

    def cancel(self, plan: TaskPlan | str) -> PlanRun:
        """Stop an execution, in whichever process it is."""
        return self.tunnel.plans.cancel(plan if isinstance(plan, str) else plan.id)
