"""``windtunnel plans``: what was planned, and how far it got."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from windtunnel.cli.render import clean, json_text, table, tell
from windtunnel.core.plan import plain_plan

if TYPE_CHECKING:
    from windtunnel.engine.plan.book import PlanEntry

_MOST_REQUEST = 60


def add(commands: Any) -> None:  # noqa: ANN401 -- argparse has no public name for it
    """Its arguments; without any, the list."""
    made = commands.add_parser("plans", help="what was planned, and how far it got",
                               description="The plans that you made, newest first; one of them, with its tasks.")
    made.add_argument("plan", nargs="?", metavar="PLAN", help="one plan by its id, or how it begins")
    made.add_argument("--json", action="store_true", help="as JSON; of one plan, with the output of its tasks")
    made.set_defaults(act=act)


def act(chosen: argparse.Namespace) -> int:
    """The list, or one of them."""
    from windtunnel.tunnel import Tunnel  # noqa: PLC0415 -- each command loads only what it uses

    with Tunnel(pool_size=0, tell=tell) as tunnel:
        if chosen.plan is not None:
            return _one(chosen, tunnel.plans.get(chosen.plan))
        found = tunnel.plans.list()
    if chosen.json:
        print(json_text([{"id": one.plan.id, "made": one.made, "request": one.plan.request, "root": one.plan.root,
                          "tasks": len(one.plan.tasks), "run": one.run} for one in found]))
    elif not found:
        print("none (windtunnel plan REQUEST makes one)")
    else:
        print(table([_row(one) for one in found], head=["id", "made", "tasks", "state", "project", "request"]))
    return 0


def _one(chosen: argparse.Namespace, plan: Any) -> int:  # noqa: ANN401 -- a TaskPlan, which is loaded late
    from windtunnel.cli.execute_text import states_page  # noqa: PLC0415
    from windtunnel.cli.plan import page  # noqa: PLC0415

    if chosen.json:
        print(json_text(plain_plan(plan, states=True)))
    else:
        print(page(plan))
        print("\n".join(states_page({task.id: task.board.state for task in plan.tasks})))
    return 0


def _row(one: PlanEntry) -> list[str]:
    run = one.run
    state = "not executed" if run is None else "running" if run.running else run.outcome
    return [one.plan.id, one.made[:16].replace("T", " "), str(len(one.plan.tasks)), state, one.plan.root,
            clean(one.plan.request)[:_MOST_REQUEST]]
