"""``windtunnel plan``: a request in plain words as tasks with an order."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.cli.render import clean, colour, json_text, table, tell
from windtunnel.core.errors import UsageError
from windtunnel.core.plan import plain_plan

if TYPE_CHECKING:
    from windtunnel.core.plan import Task, TaskPlan

_FAILED = 2
_SHADES = {"low": "green", "medium": "yellow", "high": "red"}
_MOST_COMMAND = 70


def add(commands: Any) -> None:  # noqa: ANN401 -- argparse has no public name for it
    """Its arguments."""
    made = commands.add_parser(
        "plan", help="what to do with a project, asked in plain words",
        description="Plan the commands of a project: install, build, lint, format, test, audit, start, a script by its "
        "name or a quoted command, in all parts or in those that are named. Nothing is run; windtunnel execute does.")
    made.add_argument("request", metavar="REQUEST",
                      help="such as: install, build and run all tests; lint only the frontend; test without installing")
    made.add_argument("path", nargs="?", default=".", metavar="PATH", help="the project (default: the current folder)")
    made.add_argument("--workspace", metavar="NAME", help="a kept workspace instead of PATH; the plan runs in it")
    made.add_argument("--allow-host", action="append", default=[], metavar="HOST",
                      help="what tasks that fetch something may reach; may be repeated")
    made.add_argument("--model", choices=["openai"], help="have a model propose it, within the same bounds")
    made.add_argument("--save", metavar="FILE", help="write the plan as JSON too; windtunnel execute FILE runs it")
    made.add_argument("--json", action="store_true", help="the plan as JSON")
    made.set_defaults(act=act, failed=_FAILED)


def act(chosen: argparse.Namespace) -> int:
    """Plan, keep, show."""
    from windtunnel import config  # noqa: PLC0415 -- each command loads only what it uses
    from windtunnel.tunnel import Tunnel  # noqa: PLC0415

    project = Path(chosen.path)
    if chosen.workspace is None and not project.is_dir():
        raise UsageError(f"path: {chosen.path!r} is not a folder", field="path")
    settings = config.load() if chosen.workspace is not None else config.load(project=project)
    with Tunnel(settings, pool_size=0, tell=tell) as tunnel:
        where = project.absolute() if chosen.workspace is None else tunnel.workspaces.get(chosen.workspace).path
        plan = tunnel.plan(chosen.request, where, allow_hosts=tuple(chosen.allow_host), model=chosen.model)
    if chosen.save is not None:
        _save(chosen.save, plan)
        if Path(chosen.save).resolve().is_relative_to(project.resolve()) and chosen.workspace is None:
            tell(f"{chosen.save} lies in the project, which is not as it was planned for any more: keep it elsewhere")
    print(json_text(plain_plan(plan, states=True)) if chosen.json else page(plan))
    return 0


def page(plan: TaskPlan) -> str:
    """A plan as people read it."""
    rows = [_row(task) for task in plan.tasks]
    lines = [table(rows, head=["id", "command", "folder", "after", "risk", "network", "timeout", "what"])]
    lines += [colour(f"{task.id}: a person must agree: {clean(task.approval)}", _SHADES[task.risk])
              for task in plan.approvals]
    lines += [f"note: {clean(note)}" for note in plan.notes]
    lines += [colour(f"open: {clean(question)}", "yellow") for question in plan.questions]
    many = f"{len(plan.tasks)} task{'s' if len(plan.tasks) > 1 else ''}"
    lines.append(f"plan {plan.id}: {many}; windtunnel execute {plan.id}")
    return "\n".join(lines)


def _row(task: Task) -> list[str]:
    command = " ".join(task.command.split())
    command = command if len(command) <= _MOST_COMMAND else f"{command[:_MOST_COMMAND - 1]}…"
    return [task.id, command, task.folder or ".", ", ".join(task.depends_on) or "-", task.risk,
            ", ".join(task.hosts) or "none", f"{task.timeout_seconds:g} s", task.description]


def _save(name: str, plan: TaskPlan) -> None:
    try:
        descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:  # noqa: PTH123 -- by descriptor
            file.write(f"{json_text(plain_plan(plan))}\n")
    except OSError as failure:
        raise UsageError(f"--save: cannot write {name!r}: {failure.strerror}", field="--save") from failure
