"""What was spent of each budget, and what is held by acts under way.

What holds: when a call has returned, its change is on the disk. Of many processes at once the sum of what is spent and
held never exceeds a budget, because what is held is taken from what is left before anything begins. What a process held
that is gone is charged by the next one that comes: as much as it can have used since, and never more than it held.
Spending is counted by actor, project and session, not by the name of a budget, so that a budget that is renamed or
raised goes on from where it stood. With a clock that went back, what was spent later counts as spent now. What does not
hold: whoever may write the file may write anything into it.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

from windtunnel.core.allowance import MILLION, TIMES, Counted, Scope, Standing
from windtunnel.core.errors import BudgetSpent
from windtunnel.core.policy import Decision, Effect
from windtunnel.store.audit.process import is_gone, this_process
from windtunnel.store.database import Database, Shape, transaction

SHAPE = Shape(
    what="record of budgets", application=0x57544247, elsewhere="or set WINDTUNNEL_STATE_DIR to another folder",
    synchronous="FULL", migrations=((
        """CREATE TABLE spent (scope TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, hour INTEGER NOT NULL,
            amount INTEGER NOT NULL, PRIMARY KEY (scope, name, kind, hour)) WITHOUT ROWID""",
        """CREATE TABLE held (id TEXT NOT NULL, scope TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL,
            amount INTEGER NOT NULL, owner TEXT NOT NULL, begun REAL NOT NULL, until REAL NOT NULL,
            PRIMARY KEY (scope, name, kind, id)) WITHOUT ROWID""",
        "CREATE INDEX held_by_id ON held (id)",
    ),))
_HOUR = 3600
_GRACE_SECONDS = 24 * _HOUR
"""How long after its time something stays held by a process that cannot be judged from here."""
_SESSION_SECONDS = 90 * 24 * _HOUR
"""How long after its last act a session is remembered."""
LEAST = dict.fromkeys(TIMES, MILLION * 11 // 100)
"""Less than this is nothing: no program can be given less, and stopping one takes time too."""
_OF = "WHERE scope = ? AND name = ? AND kind = ?"
_Answer = TypeVar("_Answer")
_Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What was reserved."""

    id: str
    granted: Mapping[str, int]
    """Millionths by kind; those that no budget counts are not in it."""
    by: Mapping[str, Standing]
    """For each kind that got less than was asked for, the budget that had no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What was spent at once, so that it can be given back."""

    amounts: Mapping[_Key, int]
    hour: int
    """The one that it was charged to: given back in another, it would be more than was spent there."""


class Allowances:
    """The spending of one state folder; safe to use from many threads and processes."""

    def __init__(self, path: str | os.PathLike[str], *, clock: Callable[[], float] = time.time) -> None:
        """Remember where; nothing is opened or made yet. The clock gives seconds since 1970."""
        self.database, self._clock = Database(path, SHAPE), clock
        self._tidied = False

    def look(self, counted: Sequence[Counted]) -> None:
        """Raise ``BudgetSpent`` where one of them has nothing left."""
        self._alone(lambda book: book.look(counted))

    def take(self, counted: Sequence[Counted], wanted: Mapping[str, int], *, first: bool = False) -> Taken:
        """Spend exactly this at once, or nothing with a ``BudgetSpent``; ``first`` also where another kind is spent."""
        def act(book: _Book) -> Taken:
            if first:
                book.look(counted)
            book.room(counted, wanted, whole=True)
            amounts = {key: wanted[key[2]] for key in _keys(counted, wanted)}
            for key, amount in amounts.items():
                book.charge(key, amount)
            return Taken(amounts=amounts, hour=book.hour)

        return self._alone(act)

    def reserve(
        self, counted: Sequence[Counted], wanted: Mapping[str, int], *, seconds: float, whole: bool = False,
        back: Taken | None = None,
    ) -> Held:
        """Hold this much, or as much of it as is left; with ``whole``, all of it or nothing.

        ``seconds`` is how long it can last at most; ``back`` is given back where it is refused, in the same moment.
        """
        def act(book: _Book) -> Held | BudgetSpent:
            try:
                granted, by = book.room(counted, wanted, whole=whole)
            except BudgetSpent as refusal:
                if back is None:
                    raise
                book.give_back(back)
                return refusal  # raised only when what was given back is written
            made = Held(id=secrets.token_hex(8), granted=granted, by=by)
            book.hold(made, _keys(counted, granted), seconds=seconds)
            return made

        answer = self._alone(act)
        if isinstance(answer, BudgetSpent):
            raise answer
        return answer

    def settle(self, held: Held, used: Mapping[str, int]) -> None:
        """Charge what was really used, also where it is more, and let go of the rest.

        What was charged in full meanwhile, because it seemed to be left for ever, is not charged again.
        """
        def act(book: _Book) -> None:
            for key, _ in book.release(held.id):
                book.charge(key, used.get(key[2], 0))

        self._alone(act)

    def standings(self, counted: Sequence[Counted]) -> list[Standing]:
        """How they stand, kind by kind."""
        return self._alone(lambda book: list(book.standings(counted)))

    def names(self, scope: Scope) -> list[str]:
        """Those of whom something was counted, the latest first."""
        query = ("SELECT name FROM (SELECT name, hour FROM spent WHERE scope = ?1 UNION ALL "
                 "SELECT name, until FROM held WHERE scope = ?1) GROUP BY name ORDER BY max(hour) DESC, name")
        return self._alone(lambda book: [row[0] for row in book.connection.execute(query, (str(scope),))])

    def close(self) -> None:
        """Let go of the file."""
        self.database.close()

    def _alone(self, act: Callable[[_Book], _Answer]) -> _Answer:
        """In one transaction, after those that are gone were charged."""
        def whole(connection: sqlite3.Connection) -> _Answer:
            with transaction(connection):
                book = _Book(connection=connection, now=self._clock())
                book.settle_gone()
                if not self._tidied:
                    book.forget_sessions()
                self._tidied = True
                return act(book)

        return self.database.do(whole)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Book:
    """The file in one transaction, at one moment."""

    connection: sqlite3.Connection
    now: float

    def look(self, counted: Sequence[Counted]) -> None:
        for standing in self.standings(counted):
            if standing.left < LEAST.get(standing.kind, 1):
                raise spent(standing)

    def room(
        self, counted: Sequence[Counted], wanted: Mapping[str, int], *, whole: bool,
    ) -> tuple[dict[str, int], dict[str, Standing]]:
        """What can be had of each kind, and by which budget it is less than was wanted."""
        granted: dict[str, int] = {}
        by: dict[str, Standing] = {}
        for standing in self.standings(counted):
            kind, left, asked = standing.kind, standing.left, wanted.get(standing.kind)
            if asked is None:
                continue
            if left < asked and (whole or left < LEAST.get(kind, 1)):
                raise spent(standing)
            if left < granted.setdefault(kind, asked):
                granted[kind], by[kind] = left, standing
        return granted, by

    def standings(self, counted: Sequence[Counted]) -> Iterator[Standing]:
        moment = datetime.fromtimestamp(self.now, UTC)
        for one in counted:
            budget = one.allowance
            begin, end = budget.per.around(moment) if budget.per is not None else (None, None)
            since = int(begin.timestamp()) // _HOUR if begin is not None else -1
            for kind, amount in budget.amounts.items():
                key = (str(budget.scope), one.name, kind)
                yield Standing(
                    budget=budget.id, scope=budget.scope, name=one.name, kind=kind, amount=amount, per=budget.per,
                    spent=self._sum(f"SELECT sum(amount) FROM spent {_OF} AND hour >= ?", (*key, since)),  # noqa: S608 -- names
                    reserved=self._sum(f"SELECT sum(amount) FROM held {_OF}", key),  # noqa: S608 -- names
                    until=end.isoformat(timespec="seconds") if end is not None else "", policy=budget.policy)

    def _sum(self, query: str, values: tuple[object, ...]) -> int:
        return int(self.connection.execute(query, values).fetchone()[0] or 0)

    @property
    def hour(self) -> int:
        return int(self.now) // _HOUR

    def give_back(self, taken: Taken) -> None:
        self.connection.executemany(f"UPDATE spent SET amount = max(0, amount - ?) {_OF} AND hour = ?", [  # noqa: S608 -- names
            (amount, *key, taken.hour) for key, amount in taken.amounts.items()])

    def charge(self, key: _Key, amount: int) -> None:
        if amount:
            self.connection.execute(
                "INSERT INTO spent VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET amount = amount + excluded.amount",
                (*key, self.hour, amount))

    def hold(self, held: Held, keys: Sequence[_Key], *, seconds: float) -> None:
        owner, until = this_process(), self.now + seconds + _GRACE_SECONDS
        self.connection.executemany("INSERT INTO held VALUES (?, ?, ?, ?, ?, ?, ?, ?)", [
            (held.id, *key, held.granted[key[2]], owner, self.now, until) for key in keys])

    def release(self, id_: str) -> list[tuple[_Key, int]]:
        """What was held under this id, and is not any more."""
        rows = self.connection.execute("DELETE FROM held WHERE id = ? RETURNING scope, name, kind, amount", (id_,))
        return [((scope, name, kind), amount) for scope, name, kind, amount in rows.fetchall()]

    def settle_gone(self) -> None:
        """Charge what processes held that are gone, and what nobody let go of long after its time."""
        found = self.connection.execute("SELECT DISTINCT id, owner, begun, until FROM held").fetchall()
        gone = {owner: is_gone(owner) for _, owner, _, _ in found}
        for id_, owner, begun, until in found:
            if not gone[owner] and self.now <= until:
                continue
            known = gone[owner] and self.now >= begun  # by a clock that went back nobody knows how long it was
            for key, amount in self.release(id_):
                self.charge(key, min(amount, _possible(key[2], self.now - begun)) if known else amount)

    def forget_sessions(self) -> None:
        """Those that did nothing for long; each is a new one, so that they would fill the file for ever."""
        self.connection.execute(
            "DELETE FROM spent WHERE scope = ?1 AND name IN (SELECT name FROM spent WHERE scope = ?1 GROUP BY name "
            "HAVING max(hour) < ?2)", (str(Scope.SESSION), int(self.now - _SESSION_SECONDS) // _HOUR))


def spent(standing: Standing) -> BudgetSpent:
    """The refusal."""
    return BudgetSpent(Decision(effect=Effect.DENY, rule=f"budgets.{standing.budget}", reason=standing.told(),
                                policy=standing.policy), standing)


def _keys(counted: Sequence[Counted], wanted: Mapping[str, int]) -> tuple[_Key, ...]:
    """What is counted of these, each once, however many budgets count it."""
    found = ((str(one.allowance.scope), one.name, kind) for one in counted for kind in one.allowance.amounts)
    return tuple(dict.fromkeys(key for key in found if key[2] in wanted))


def _possible(kind: str, seconds: float) -> int:
    """The most that something can have used in so long."""
    if kind not in TIMES:
        return sys.maxsize
    processors = 1 if kind == "wall_seconds" else os.cpu_count() or 1
    return int(seconds * processors * MILLION) + 1
