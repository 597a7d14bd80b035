"""What to do with a project, in which order, and how far it got."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum

from windtunnel.core.errors import UsageError
from windtunnel.core.plain import plain
from windtunnel.core.policy import Risk

RUN = "run"
"""The purpose of a command that somebody gave in so many words; all others are those of ``analysis.Purpose``."""
_ID_LETTERS = 12
_RISKS: tuple[Risk, ...] = ("low", "medium", "high")


class TaskStatus(StrEnum):
    """How far a task got."""

    NOT_STARTED = "NOT_STARTED"
    """Also one that was skipped or cancelled; its state says why."""
    IN_PROGRESS = "IN_PROGRESS"
    COMPLETED = "COMPLETED"
    ERROR = "ERROR"


class FailureKind(StrEnum):
    """Why a task failed; what is tried again depends on it."""

    TIMEOUT = "timeout"
    MEMORY = "out-of-memory"
    DISK = "out-of-disk"
    NETWORK = "network"
    TOOL_MISSING = "tool-missing"
    FAILED = "failed"
    """The program ran and said no."""
    KILLED = "killed"
    REFUSED = "refused"
    """By the policy, a budget, the caps or the workspace; nothing ran."""
    APPROVAL = "approval-needed"
    SANDBOX = "sandbox-failure"
    """Our side failed; it says nothing about the program."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How often a task is tried again by itself, for each kind of failure; each retry changes something or waits."""

    timeout: int = 1
    """Each time with twice the time, up to the cap."""
    memory: int = 2
    """Each time with twice the memory, up to the cap."""
    network: int = 2
    """After a wait that doubles; never where the task has no network."""
    failed: int = 0
    """For tests that are known to be unsteady; ends as soon as the same failure comes twice."""
    backoff_seconds: float = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorInfo:
    """What went wrong with a task, and what may help."""

    kind: FailureKind
    message: str
    """One line."""
    diagnosis: tuple[str, ...] = ()
    """What the output says, as the parsers read it: one line for each problem, the likeliest cause first."""
    suggestion: str = ""
    """What to do next."""
    fingerprint: str = ""
    """The same for the same exit code and the same output but for times, paths and numbers."""
    deterministic: bool = False
    """Whether the same failure was seen twice from the same files; trying it again unchanged is no use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskState:
    """How one task stands."""

    status: TaskStatus = TaskStatus.NOT_STARTED
    attempts: int = 0
    exit_code: int | None = None
    reason: str = ""
    """Why the last attempt ended, as the supervisor saw it."""
    begun: str = ""
    """UTC, of the last attempt."""
    ended: str = ""
    seconds: float = 0.0
    """Of the last attempt."""
    output: str = ""
    """Both streams of the last attempt, bounded: its head and its tail."""
    error_info: ErrorInfo | None = None
    skipped: str = ""
    """Why it was not run."""
    changed: tuple[str, ...] = ()
    """What was done differently than planned in the last attempt, such as ``timeout 60 s -> 120 s``."""

    @property
    def success(self) -> bool:
        """Whether it was done."""
        return self.status is TaskStatus.COMPLETED


class Board:
    """Where whoever holds a plan sees how its tasks stand: the one part of a plan that changes."""

    __slots__ = ("plan", "run", "state")

    def __init__(self) -> None:
        """Nothing was done yet."""
        self.state = TaskState()
        self.plan = ""
        """The id of the plan that the task belongs to."""
        self.run = ""
        """The execution that the state is of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One step: a shell line that is run in a folder of the workspace."""

    id: str
    description: str
    command: str
    purpose: str = RUN
    """One of ``analysis.Purpose``, or ``run``."""
    folder: str = ""
    """Relative to the workspace; empty for its top."""
    depends_on: tuple[str, ...] = ()
    timeout_seconds: float = 300.0
    risk: Risk = "low"
    hosts: tuple[str, ...] = ()
    """All that it may reach; none means no network."""
    env: Mapping[str, str] = field(default_factory=dict)
    search: tuple[str, ...] = ()
    """Folders below its own that come first on PATH, such as ``.venv/bin``; they need not be there."""
    expected: str = "exits with 0"
    ends: bool = True
    """False for a server: it is started, and is good when it still runs after its time."""
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    approval: str = ""
    """Why a person must agree before it runs; empty where nobody has to."""
    manager: str = ""
    """The package manager of its part."""
    tool: str = ""
    """The program that must be there."""
    board: Board = field(default_factory=Board, compare=False, repr=False)

    @property
    def status(self) -> TaskStatus:
        """How far it got, now."""
        return self.board.state.status

    @property
    def error_info(self) -> ErrorInfo | None:
        """What went wrong with it; none where nothing did."""
        return self.board.state.error_info

    @property
    def needs_approval(self) -> bool:
        """Whether a person must agree."""
        return bool(self.approval)

    @property
    def line(self) -> str:
        """What the shell is given."""
        if not self.search:
            return self.command
        folders = ":".join(f"$PWD/{folder}" for folder in self.search)
        return f'export PATH="{folders}:$PATH"\n{self.command}'


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPlan:
    """Tasks with an order, for one state of one tree."""

    request: str
    root: str
    """The folder that was planned for."""
    tree: str = ""
    """The hash of its content."""
    workspace: str = ""
    """The kept workspace that it runs in; empty makes one of the root."""
    tasks: tuple[Task, ...]
    notes: tuple[str, ...] = ()
    """What was assumed."""
    questions: tuple[str, ...] = ()
    """What was asked for and not understood, or not found."""

    def __post_init__(self) -> None:
        """Let each task know where it belongs."""
        name = self.id
        for task in self.tasks:
            task.board.plan = name

    @property
    def digest(self) -> str:
        """Over everything that is executed: anything else needs another approval."""
        told = {"root": self.root, "tree": self.tree, "workspace": self.workspace,
                "tasks": [plain_task(task) for task in self.tasks]}
        return hashlib.sha256(json.dumps(told, sort_keys=True, separators=(",", ":")).encode()).hexdigest()

    @property
    def id(self) -> str:
        """How the digest begins."""
        return self.digest[:_ID_LETTERS]

    @property
    def risk(self) -> Risk:
        """That of its riskiest task."""
        return max((task.risk for task in self.tasks), key=_RISKS.index, default="low")

    @property
    def approvals(self) -> tuple[Task, ...]:
        """Tasks that a person must agree to."""
        return tuple(task for task in self.tasks if task.approval)

    def task(self, name: str) -> Task:
        """By its id."""
        for task in self.tasks:
            if task.id == name:
                return task
        known = ", ".join(task.id for task in self.tasks[:20])
        raise UsageError(f"task: the plan has none called {name[:60]!r} (one of {known})", field="task")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionReport:
    """How an execution of a plan went."""

    plan: str
    run: str
    workspace: str
    outcome: str
    """``completed``, ``failed``, ``waiting`` for a person, or ``cancelled``."""
    states: Mapping[str, TaskState]
    """By the tasks' ids, in the plan's order."""
    seconds: float = 0.0
    notes: tuple[str, ...] = ()

    @property
    def success(self) -> bool:
        """Whether every task was done."""
        return self.outcome == "completed"

    @property
    def tasks_completed(self) -> int:
        """How many were done, in this execution or before it went on."""
        return sum(state.success for state in self.states.values())

    @property
    def tasks_failed(self) -> int:
        """How many ended in an error."""
        return sum(state.status is TaskStatus.ERROR for state in self.states.values())

    @property
    def tasks_skipped(self) -> int:
        """How many were not run."""
        return len(self.states) - self.tasks_completed - self.tasks_failed


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskEvent:
    """What happens while a plan is executed, for whoever watches."""

    kind: str
    """``begun``, ``output``, ``retry``, ``ended``, ``skipped`` or ``cancelled``."""
    task: str
    state: TaskState
    text: str = ""
    """Of output, what was printed; of a retry, why and what is changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRun:
    """One execution of a plan, as it is remembered."""

    id: str
    plan: str
    workspace: str
    outcome: str
    """``open`` while it can go on, else as in ``ExecutionReport``."""
    begun: str
    ended: str = ""
    approved: bool = False
    """Whether a person agreed to it."""
    running: bool = False
    """Whether a process that is still there works on it."""


def plain_task(task: Task) -> dict[str, object]:
    """Everything of it that is planned, as JSON; nothing of how it stands."""
    told = {one.name: getattr(task, one.name) for one in fields(task) if one.name != "board"}
    loaded: dict[str, object] = json.loads(json.dumps(told, default=plain))
    return loaded


def plain_plan(plan: TaskPlan, *, states: bool = False) -> dict[str, object]:
    """The plan as JSON that ``check_plan`` reads; with ``states``, how each task stands too, which it does not."""
    tasks = [plain_task(task) | ({"state": task.board.state} if states else {}) for task in plan.tasks]
    head = {"id": plan.id, "digest": plan.digest} if states else {}
    return {**head, "request": plan.request, "root": plan.root, "tree": plan.tree, "workspace": plan.workspace,
            "tasks": tasks, "notes": list(plan.notes), "questions": list(plan.questions)}


def plain_report(report: ExecutionReport) -> dict[str, object]:
    """A report with what is counted in it, for ``json.dumps(default=plain)``."""
    counted = {name: getattr(report, name) for name in ("success", "tasks_completed", "tasks_failed", "tasks_skipped")}
    return {**{one.name: getattr(report, one.name) for one in fields(report)}, **counted}
