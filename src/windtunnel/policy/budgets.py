"""The budgets of a policy, read as strictly as its rules."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import replace

from windtunnel.core.allowance import ACTS, MILLION, TIMES, Allowance, Scope, Window, millionths, money
from windtunnel.core.errors import UsageError
from windtunnel.policy import table
from windtunnel.policy.table import Table
from windtunnel.policy.tree import Node, shown

_MOST_BUDGETS = 100
_KNOWN = ("id", "for", "per", *TIMES, ACTS, "money")
_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


def read_budgets(node: Node, name: str, *, content: bytes) -> tuple[Allowance, ...]:
    """All of them; several may be for the same."""
    made: dict[str, Allowance] = {}
    sha256 = hashlib.sha256(content).hexdigest()
    for item, here in table.items(node, name, most=_MOST_BUDGETS):
        found = Table(item, here, known=_KNOWN)
        budget = _budget(found)
        if budget.id in made:
            raise found.place("id").refusal(f"{here}.id: {budget.id} is there twice")
        made[budget.id] = replace(budget, policy=sha256)
    return tuple(made.values())


def _budget(found: Table) -> Allowance:
    amounts: dict[str, int] = {}
    for kind in TIMES:
        if kind in found:
            amounts[kind] = found.must(kind, _seconds)
    if ACTS in found:
        amounts[ACTS] = found.must(ACTS, _acts)
    if "money" in found:
        kind, amount = found.must("money", _money)
        amounts[kind] = amount
    if not amounts:
        raise found.node.refusal(f"{found.name}: bounds nothing (name one of {', '.join((*TIMES, ACTS, 'money'))})")
    scope: Callable[[Node, str], Scope] = table.one_of(Scope)
    return Allowance(id=found.must("id", _id), scope=found.must("for", scope), amounts=amounts,
                     per=found.read("per", _window, None))


def _window(node: Node, name: str) -> Window | None:
    return table.one_of(Window)(node, name)


def _id(node: Node, name: str) -> str:
    if not isinstance(node.value, str) or not _ID.fullmatch(node.value):
        raise node.refusal(f"{name}: not an id of a budget: {shown(node.value)} (small letters, digits, . _ and -)")
    return node.value


def _seconds(node: Node, name: str) -> int:
    """Zero or more; zero lets nothing be done."""
    value = node.value
    if isinstance(value, str):
        value = table.seconds(node, name)
    amount = None if isinstance(value, bool) or not isinstance(value, int | float) else millionths(value)
    if amount is None:
        raise node.refusal(f"{name}: not a number of seconds: {shown(node.value)} (try 3600 or 8h)")
    return amount


def _acts(node: Node, name: str) -> int:
    amount = millionths(table.whole(node, name))
    if amount is None:
        raise node.refusal(f"{name}: more than a budget can count: {shown(node.value)}")
    assert amount % MILLION == 0
    return amount


def _money(node: Node, name: str) -> tuple[str, int]:
    try:
        # A bare number has no currency, and a fraction of it no exact value.
        return money(node.value if isinstance(node.value, str) else shown(node.value), field=name)
    except UsageError as error:
        raise node.refusal(str(error)) from error
