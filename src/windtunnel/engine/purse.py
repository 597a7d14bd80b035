"""What one act may take of the budgets in force, and what it took.

The rule: every program reserves what its limits let it use and a tenth of a second in which it is stopped, or as much
of that as is left, and its limits are lowered to what it got; when it has ended it is charged what it really used. So
that many acts at once never take more than there is together. Wall time is that of each program by itself, also where
several run at once. What does not hold: on a machine so busy that stopping a program takes longer, the rest is charged
too, over the budget.

An act is counted when it begins. One whose first program gets nothing of another budget is denied, and is not counted:
it is given back in the same transaction, and no program of it runs afterwards.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from windtunnel.core.allowance import ACTS, MILLION, MONEY, TIMES, Counted, Standing, millionths, money, said
from windtunnel.core.errors import BudgetSpent, UsageError
from windtunnel.core.limits import Limits
from windtunnel.core.policy import asked
from windtunnel.core.ports import Job, Sandbox
from windtunnel.core.result import ExecutionResult, Level, Reason

if TYPE_CHECKING:
    from windtunnel.store.allowances import Allowances, Held, Taken

NOTE = "budget"
"""The name under which a result says that its limits were lowered to what was left."""
STOP_SECONDS = 0.1
"""What stopping a program takes, of either time."""
_STOPPED = {Reason.TIMEOUT: "wall_seconds", Reason.CPU_TIME: "cpu_seconds"}


@dataclass(slots=True, kw_only=True)
class Share:
    """What was got for one program or one call."""

    held: Held
    used: dict[str, int] = field(default_factory=dict)

    @property
    def lowered(self) -> Mapping[str, Standing]:
        """The budget that had no more, for each kind that is less than was asked for."""
        return self.held.by

    def seconds(self, kind: str) -> float | None:
        """How much time was got; none where no budget counts it."""
        amount = self.held.granted.get(kind)
        return None if amount is None else amount / MILLION

    def use(self, **seconds: float) -> None:
        """What was really used; without it, all the time since the beginning is charged."""
        self.used |= {kind: millionths(max(0.0, value)) or 0 for kind, value in seconds.items()}

    def pay(self, price: str) -> None:
        """What it really cost, such as ``0.02 USD``; without it, all that was held is charged."""
        kind, amount = money(price)
        self.used[kind] = amount


class Purse:
    """The budgets that count for one act; for many threads."""

    def __init__(self, store: Allowances, counted: Sequence[Counted], *, answers: bool = False) -> None:
        """Nothing is taken yet.

        With ``answers`` a program that a budget stopped is a result that says so; else it is ``BudgetSpent``, since a
        verdict must not depend on what was left of a budget.
        """
        self._store, self._counted, self.answers = store, counted, answers
        self._condition = threading.Condition()
        self._open = 0
        self._charged: dict[str, int] = {}
        self._begun: Taken | None = None
        """The act that was counted, as long as it can be given back."""
        self._denied: BudgetSpent | None = None
        self.notes: list[str] = []
        """What was lowered, in words."""

    def look(self) -> None:
        """Raise ``BudgetSpent`` where nothing is left."""
        self._store.look(self._counted)

    def begin(self) -> None:
        """Count one act."""
        self._begun = self._store.take(self._counted, {ACTS: MILLION}, first=True)
        self._add({ACTS: MILLION})

    def spend(self, price: str) -> None:
        """Spend money that is known beforehand, such as ``0.02 USD``; all of it, or nothing with ``BudgetSpent``."""
        kind, amount = self._known(price)
        self._store.take(self._counted, {kind: amount})
        self._begun = None
        self._add({kind: amount})

    @contextlib.contextmanager
    def paid(self, most: str, *, seconds: float = 3600.0) -> Iterator[Share]:
        """Around a call that costs at most this, and whose price is known only after it; ``pay`` says it."""
        kind, amount = self._known(most)
        with self._held({kind: amount}, seconds=seconds, whole=True) as share:
            yield share

    @contextlib.contextmanager
    def timed(self, *, wall_seconds: float, cpu_seconds: float | None = None) -> Iterator[Share]:
        """Around something that lasts at most so long; it is given as much of that as is left."""
        wanted = {"wall_seconds": wall_seconds, "cpu_seconds": cpu_seconds}
        asked = {kind: millionths(value) or 0 for kind, value in wanted.items() if value is not None}
        with self._held(asked, seconds=wall_seconds, whole=False) as share:
            yield share

    def told(self) -> dict[str, object]:
        """For the record: what was charged, and to which budgets."""
        amounts = {kind: said(kind, amount) for kind, amount in self._charged.items()}
        return {"amounts": amounts, "notes": list(self.notes), "budgets": [
            {"budget": one.allowance.id, "for": str(one.allowance.scope), "name": one.name,
             "kinds": [kind for kind in one.allowance.amounts if kind in self._charged]} for one in self._counted]}

    def _known(self, price: str) -> tuple[str, int]:
        kind, amount = money(price)
        kinds = {kind for one in self._counted for kind in one.allowance.amounts if kind.startswith(MONEY)}
        if kinds and kind not in kinds:
            words = ", ".join(sorted(one.removeprefix(MONEY) for one in kinds))
            raise UsageError(f"money: no budget counts {kind.removeprefix(MONEY)} here (those there are: {words})",
                             field="money")
        return kind, amount

    @contextlib.contextmanager
    def _held(self, wanted: Mapping[str, int], *, seconds: float, whole: bool) -> Iterator[Share]:
        share, begun = Share(held=self._reserve(wanted, seconds=seconds, whole=whole)), time.monotonic()
        try:
            yield share
        finally:
            self._settle(share, time.monotonic() - begun)

    def _reserve(self, wanted: Mapping[str, int], *, seconds: float, whole: bool) -> Held:
        with self._condition:
            while True:
                if self._denied is not None:
                    raise self._denied
                begun = self._begun
                try:
                    held = self._store.reserve(self._counted, wanted, seconds=seconds, whole=whole, back=begun)
                except BudgetSpent as refusal:
                    if begun is not None:
                        self._begun, self._denied = None, refusal
                        self._charged.pop(ACTS, None)
                    # What another program of this same act holds comes back when that one ends, at latest at its limit.
                    if not self._open or not refusal.standing.reserved:
                        raise
                    self._condition.wait()
                else:
                    self._open += 1
                    self._begun = None
                    return held

    def _settle(self, share: Share, seconds: float) -> None:
        granted = share.held.granted
        used = {kind: share.used.get(kind, _unsaid(kind, seconds, amount)) for kind, amount in granted.items()}
        try:
            self._store.settle(share.held, used)
        finally:
            with self._condition:
                self._open -= 1
                self._condition.notify_all()
        self._add(used)

    def _add(self, used: Mapping[str, int]) -> None:
        counted = {kind for one in self._counted for kind in one.allowance.amounts}
        with self._condition:
            for kind, amount in used.items():
                if kind in counted:
                    self._charged[kind] = self._charged.get(kind, 0) + amount

    def note(self, words: str) -> None:
        """Remember what was lowered."""
        with self._condition:
            if words not in self.notes:
                self.notes.append(words)


def _unsaid(kind: str, seconds: float, amount: int) -> int:
    """What is charged where nobody said: of time what can have been used since, of all else what was held."""
    if kind not in TIMES:
        return amount
    processors = 1 if kind == "wall_seconds" else os.cpu_count() or 1
    return min(amount, millionths(seconds * processors) or 0)


class Metered:
    """A sandbox whose programs are paid for from one purse."""

    def __init__(self, sandbox: Sandbox, purse: Purse) -> None:
        """Its walls are those of the sandbox."""
        self._sandbox, self._purse = sandbox, purse
        self.level: Level = sandbox.level

    def run(self, job: Job) -> ExecutionResult:
        """Run it within what is left."""
        limits = job.limits
        with self._purse.timed(wall_seconds=limits.wall_seconds + STOP_SECONDS, cpu_seconds=_most_cpu(limits)) as share:
            lower = _lowered(limits, share)
            words = _words(limits, lower, share)
            for line in words:
                self._purse.note(line)
            result = self._sandbox.run(replace(job, limits=lower))
            known = result.usage.cpu_seconds
            share.use(wall_seconds=result.execution_time,
                      cpu_seconds=result.execution_time * limits.cores if known is None else known)
        if not words:
            return result
        stopped = share.lowered.get(_STOPPED.get(result.reason, ""))
        if stopped is not None and not self._purse.answers:
            from windtunnel.store.allowances import spent  # noqa: PLC0415 -- loaded already where there is a purse

            raise spent(stopped)
        return replace(result, enforced={**result.enforced, NOTE: "; ".join(words)})

    def close(self) -> None:
        """End all that waits."""
        self._sandbox.close()


def _lowered(limits: Limits, share: Share) -> Limits:
    wall, cpu = share.seconds("wall_seconds"), share.seconds("cpu_seconds")
    if wall is not None:
        limits = replace(limits, wall_seconds=_within(wall, limits.wall_seconds))
    if cpu is not None:
        limits = replace(limits, cpu_seconds=_within(cpu, limits.cpu_seconds))
    return limits


def _within(got: float, limit: float | None) -> float:
    seconds = max(0.01, round(got - STOP_SECONDS, 6))
    return seconds if limit is None else min(seconds, limit)


def _most_cpu(limits: Limits) -> float:
    """The most processor time that fits into its wall time, and a little, so that no program is stopped for a burst."""
    fits = limits.wall_seconds * limits.cores * 1.1 + 1.0
    return (fits if limits.cpu_seconds is None else min(fits, limits.cpu_seconds)) + STOP_SECONDS


def _words(limits: Limits, lower: Limits, share: Share) -> list[str]:
    return [f"{kind.replace('_', ' ')} lowered to {getattr(lower, kind):g}, "
            f"what is left of the budget {standing.budget}"
            for kind, standing in share.lowered.items() if getattr(lower, kind) < asked(limits, kind)]
