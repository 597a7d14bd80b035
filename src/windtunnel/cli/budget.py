"""``windtunnel budget``: how the budgets of the policies in force stand."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.cli.render import clean, json_text, table
from windtunnel.core.allowance import MONEY, Counted, Scope, Standing, said

if TYPE_CHECKING:
    from windtunnel.core.allowance import Allowance
    from windtunnel.store.allowances import Allowances

_FAILED = 2
_MOST = 20
"""Names shown of each budget; all others by name."""


def add(commands: Any) -> None:  # noqa: ANN401 -- argparse's own
    """Its arguments."""
    made = commands.add_parser("budget", help="what is spent, reserved and left of each budget")
    _options(made)
    made.set_defaults(act=act_list, failed=_FAILED, scope=None)
    acts = made.add_subparsers(dest="budget_act", metavar="ACT", help="what to do; without it, list")
    listed = acts.add_parser("list", help="every budget of the policies in force")
    _options(listed)
    shown = acts.add_parser("show", help="the budgets of one actor, project or session")
    _options(shown)
    whose = shown.add_mutually_exclusive_group(required=True)
    for scope in (Scope.ACTOR, Scope.PROJECT, Scope.SESSION):
        whose.add_argument(f"--{scope}", metavar="FOLDER" if scope is Scope.PROJECT else "NAME", help=f"the {scope}")
    shown.set_defaults(act=act_show)


def _options(made: argparse.ArgumentParser) -> None:
    made.add_argument("--in", dest="folder", default=".", metavar="FOLDER",
                      help="the project whose own budgets count too (default: the current folder)")
    made.add_argument("--json", action="store_true", help="as JSON")


def act_list(chosen: argparse.Namespace) -> int:
    """All that were used, and those of whoever asks."""
    return _show(chosen, {})


def act_show(chosen: argparse.Namespace) -> int:
    """Those of one."""
    given = {scope: getattr(chosen, scope) for scope in (Scope.ACTOR, Scope.PROJECT, Scope.SESSION)}
    if given[Scope.PROJECT] is not None:
        given[Scope.PROJECT] = os.path.realpath(given[Scope.PROJECT])
    return _show(chosen, {scope: name for scope, name in given.items() if name is not None})


def _show(chosen: argparse.Namespace, only: dict[Scope, str]) -> int:
    from windtunnel import config  # noqa: PLC0415 -- each command loads only what it uses
    from windtunnel.engine.permit import policies  # noqa: PLC0415
    from windtunnel.engine.record import user_name  # noqa: PLC0415
    from windtunnel.store.allowances import Allowances  # noqa: PLC0415

    folder = Path(chosen.folder).resolve()
    settings = config.load(project=folder)
    budgets = [budget for policy in policies(settings, folder) for budget in policy.budgets]
    own = {Scope.TOTAL: "", Scope.ACTOR: settings.actor or user_name(), Scope.PROJECT: str(folder)}
    found: list[Standing] = []
    if budgets:
        store = Allowances(settings.state_dir / "budgets.db")
        found = store.standings([one for budget in budgets for one in _counted(budget, store, own=own, only=only)])
        store.close()
    print(json_text([_plain(one) for one in found]) if chosen.json else _text(found, any_=bool(budgets)))
    return 0


def _counted(
    budget: Allowance, store: Allowances, *, own: dict[Scope, str], only: dict[Scope, str],
) -> Iterator[Counted]:
    if only:
        names = [only[budget.scope]] if budget.scope in only else []
    else:
        mine = [own[budget.scope]] if budget.scope in own else []
        names = list(dict.fromkeys([*mine, *store.names(budget.scope)]))[:_MOST]
    for name in names:
        yield Counted(allowance=budget, name=name)


def _plain(one: Standing) -> dict[str, object]:
    """Amounts as exact decimal texts of their unit."""
    names = ("amount", "spent", "reserved", "left")
    amounts = {name: said(one.kind, getattr(one, name)).split(" ")[0] for name in names}
    return {"budget": one.budget, "for": one.scope, "name": one.name,
            "kind": "money" if one.kind.startswith(MONEY) else one.kind,
            "currency": one.kind.removeprefix(MONEY) if one.kind.startswith(MONEY) else None, **amounts,
            "per": one.per, "begins_anew": one.until or None}


def _text(found: list[Standing], *, any_: bool) -> str:
    if not found:
        return "nothing is counted for that" if any_ else "there are no budgets here"
    head = ["budget", "for", "of", "spent", "reserved", "left", "begins anew"]
    return table([[one.budget, f"{one.scope} {clean(one.name)}".strip(), said(one.kind, one.amount),
                   *(said(one.kind, amount).split(" ")[0] for amount in (one.spent, one.reserved, one.left)),
                   one.until[:16].replace("T", " ") or "never"] for one in found], head=head)
