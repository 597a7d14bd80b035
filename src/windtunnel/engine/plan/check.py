"""Whether a plan may be executed, whoever wrote it: the planner, a person, a model or a file.

What holds: every plan that is stored or executed went through here. Its order has an end, its folders stay in the
workspace, its sizes are bounded, and commands that a person should look at are marked so, whatever the plan says of
itself. What does not hold: a command that is hidden well is not found; the sandbox is the wall.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from windtunnel.core.analysis import Purpose
from windtunnel.core.errors import UsageError
from windtunnel.core.plan import RUN, Task, TaskPlan
from windtunnel.core.policy import Risk
from windtunnel.core.revive import revive
from windtunnel.engine.check import check_variables
from windtunnel.engine.plan.danger import danger, programs

MOST_TASKS = 200
MOST_COMMAND = 8 * 1024
MOST_SECONDS = 24 * 3600.0
_MOST_BYTES = 4 * 1024**2
_MOST_TEXT, _MOST_LIST, _MOST_FOLDER = 4000, 200, 1024
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,63}")
_SEARCH = re.compile(r"[A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)*")
_PURPOSES = frozenset({RUN, *map(str, Purpose)})
_MOST_RETRIES = 10
_RISKS: tuple[Risk, ...] = ("low", "medium", "high")
_BUILTINS = frozenset({
    ":", ".", "[", "test", "cd", "echo", "printf", "export", "set", "true", "false", "exit", "exec", "eval", "read",
    "unset", "umask", "trap", "shift", "source", "wait", "if", "then", "else", "fi", "for", "do", "done", "while",
    "until", "case", "esac", "{", "}", "!", "time", "command", "type", "ulimit", "pwd"})

Given = TaskPlan | Mapping[str, object] | str | bytes


def check_plan(given: Given, *, which: Callable[[str], str | None] | None = None) -> TaskPlan:
    """The plan, marked where a person must agree; a ``UsageError`` names what keeps it from being executed.

    With ``which``, programs that are not found by it are told in its notes.
    """
    plan = given if isinstance(given, TaskPlan) else _read(given)
    _check_texts(plan)
    if not 1 <= len(plan.tasks) <= MOST_TASKS:
        raise UsageError(f"tasks: {len(plan.tasks)} tasks (from 1 to {MOST_TASKS})", field="tasks")
    names = [task.id for task in plan.tasks]
    for name in {name for name in names if names.count(name) > 1}:
        raise UsageError(f"tasks: two are called {name!r}", field="tasks")
    tasks = tuple(_checked(task) for task in plan.tasks)
    in_order(tasks)
    missing = _missing(tasks, which) if which is not None else ()
    return replace(plan, tasks=tasks, notes=tuple(dict.fromkeys((*plan.notes, *missing))))


def in_order(tasks: tuple[Task, ...]) -> tuple[Task, ...]:
    """Each after all that it depends on, else as they stand; a ``UsageError`` where no order has an end."""
    known = {task.id for task in tasks}
    for task in tasks:
        for name in task.depends_on:
            if name not in known:
                raise UsageError(f"tasks: {task.id} depends on {name[:60]!r}, which is not in the plan", field="tasks")
    done: dict[str, Task] = {}
    left = list(tasks)
    while left:
        ready = [task for task in left if done.keys() >= set(task.depends_on)]
        if not ready:
            circle = ", ".join(task.id for task in left[:10])
            raise UsageError(f"tasks: {circle} wait for each other, and none could begin", field="tasks")
        done |= {task.id: task for task in ready}
        left = [task for task in left if task.id not in done]
    return tuple(done.values())


def _read(given: Mapping[str, object] | str | bytes) -> TaskPlan:
    try:
        told = json.loads(given) if isinstance(given, str | bytes) and len(given) <= _MOST_BYTES else given
        if not isinstance(told, Mapping):
            raise UsageError("plan: not a JSON object of at most 4 MiB", field="plan")
        inner = told.get("tasks")
        if isinstance(inner, list) and any(isinstance(task, Mapping) and "board" in task for task in inner):
            raise UsageError("plan: a task has no field 'board'", field="plan")
        return revive(TaskPlan, dict(told))
    except (ValueError, TypeError, RecursionError) as error:
        if isinstance(error, UsageError):
            raise
        raise UsageError(f"plan: not a plan: {error}"[:300], field="plan") from error


def _check_texts(plan: TaskPlan) -> None:
    for name in ("request", "root", "tree", "workspace"):
        _check_text(getattr(plan, name), name)
    for name in ("notes", "questions"):
        values = getattr(plan, name)
        if len(values) > _MOST_LIST:
            raise UsageError(f"{name}: more than {_MOST_LIST}", field=name)
        for value in values:
            _check_text(value, name)


def _check_text(value: str, name: str) -> None:
    if len(value) > _MOST_TEXT or "\0" in value:
        raise UsageError(f"{name}: longer than {_MOST_TEXT} letters, or with a zero in it", field=name)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{name}: broken letters", field=name) from None


def _checked(task: Task) -> Task:
    if not _ID.fullmatch(task.id):
        raise UsageError(f"tasks: {task.id[:60]!r} is not an id (letters, digits, dots, dashes; at most 64)",
                         field="tasks")
    try:
        _check_command(task)
        _check_place(task)
        _check_numbers(task)
        check_variables(task.env, field="env")
        _check_hosts(task)
    except UsageError as error:
        raise UsageError(f"{task.id}: {error}", field=error.field) from None
    return _marked(task)


def _check_command(task: Task) -> None:
    if not task.command.strip() or len(task.command.encode("utf-8", "replace")) > MOST_COMMAND:
        raise UsageError(f"command: empty, or longer than {MOST_COMMAND} bytes", field="command")
    for name in ("command", "description", "expected", "approval", "manager", "tool"):
        value = getattr(task, name)
        _check_text(value[:_MOST_TEXT], name)
        if name != "command" and not all(letter.isprintable() for letter in value):
            raise UsageError(f"{name}: not plain text on one line", field=name)
    if "\0" in task.command:
        raise UsageError("command: with a zero in it", field="command")
    if task.purpose not in _PURPOSES:
        raise UsageError(f"purpose: {task.purpose[:60]!r} is not one of {', '.join(sorted(_PURPOSES))}",
                         field="purpose")


def _check_place(task: Task) -> None:
    folder = task.folder
    steps = folder.split("/")
    if folder and (folder.startswith("/") or not {"", ".", ".."}.isdisjoint(steps) or "\0" in folder
                   or len(folder) > _MOST_FOLDER or "\\" in folder):
        raise UsageError(f"folder: not a plain relative folder: {folder[:80]!r} (try backend)", field="folder")
    for place in task.search:
        if not _SEARCH.fullmatch(place) or ".." in place.split("/"):
            raise UsageError(f"search: not a plain relative folder: {place[:80]!r} (try .venv/bin)", field="search")
    if len(task.depends_on) > MOST_TASKS or len(task.search) > _MOST_RETRIES:
        raise UsageError("depends_on: more than there can be", field="depends_on")


def _check_numbers(task: Task) -> None:
    if not 0.1 <= task.timeout_seconds <= MOST_SECONDS:  # noqa: PLR2004 -- also false for what is no number
        raise UsageError(f"timeout_seconds: {task.timeout_seconds!r} is not from 0.1 to {MOST_SECONDS:g}",
                         field="timeout_seconds")
    retry = task.retry
    for name in ("timeout", "memory", "network", "failed"):
        if not 0 <= getattr(retry, name) <= _MOST_RETRIES:
            raise UsageError(f"retry.{name}: not from 0 to {_MOST_RETRIES}", field="retry")
    if not 0 <= retry.backoff_seconds <= 600:  # noqa: PLR2004 -- also false for what is no number
        raise UsageError("retry.backoff_seconds: not from 0 to 600", field="retry")


def _check_hosts(task: Task) -> None:
    if task.hosts:
        from windtunnel.sandbox.egress_rules import parse_hosts  # noqa: PLC0415 -- most tasks have no network

        parse_hosts(task.hosts)


def _marked(task: Task) -> Task:
    """As risky as it is, at least; how it stands is seen by whoever holds the one that was given."""
    found = danger(task.command)
    if found is not None and found.refuse:
        raise UsageError(f"{task.id}: refused: {found.why}", field="command")
    least: Risk = "high" if found else "medium" if task.hosts or task.purpose == RUN else "low"
    risk = max(least, task.risk, key=_RISKS.index)
    approval = task.approval or (found.why if found else "")
    return replace(task, risk=risk, approval=approval)


def _missing(tasks: tuple[Task, ...], which: Callable[[str], str | None]) -> list[str]:
    """Programs that a task names and nobody has; those that an earlier task may make are not asked for."""
    absent: dict[str, list[str]] = {}
    for task in tasks:
        names = [program.argv[0] for program in programs(task.command)]
        for name in dict.fromkeys(names):
            if "/" not in name and "$" not in name and name not in _BUILTINS and not task.search and not which(name):
                absent.setdefault(name, []).append(task.id)
    for task in tasks:
        if task.search and task.tool and "/" not in task.tool and not task.depends_on and not which(task.tool):
            absent.setdefault(task.tool, []).append(task.id)
    return [f"{name} is not found on this machine, and {', '.join(dict.fromkeys(ids))} needs it"
            for name, ids in absent.items()]
