"""Approvals as durable rows: asked for, decided, used once, or expired.

What holds: when a call has returned, its change is on the disk. Of two who decide at once one is first, and the other
is told so. An approval is for one digest, is used once, not after its time, and not by a clock that was set back to
before it was asked or given; what was once seen to be over its time stays so, whatever the clock shows later. What does
not hold: whoever may write the file may approve anything; the audit log shows who did, by the names that they gave.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Callable
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from windtunnel.core.approval import Approval, State
from windtunnel.core.errors import UsageError
from windtunnel.core.person import check_person, looks
from windtunnel.store.database import Database, Shape, transaction

_COLUMNS = tuple(field.name for field in fields(Approval))
SHAPE = Shape(
    what="list of approvals", application=0x57544150, elsewhere="or set WINDTUNNEL_STATE_DIR to another folder",
    synchronous="FULL", migrations=((
        """CREATE TABLE approvals (id TEXT PRIMARY KEY, verb TEXT NOT NULL, requester TEXT NOT NULL,
            digest TEXT NOT NULL, summary TEXT NOT NULL, rule TEXT NOT NULL, policy TEXT NOT NULL, reason TEXT NOT NULL,
            requested TEXT NOT NULL, expires TEXT NOT NULL, state TEXT NOT NULL, project TEXT NOT NULL,
            self_approval INTEGER NOT NULL, decided_by TEXT NOT NULL, decided TEXT NOT NULL, note TEXT NOT NULL)""",
        "CREATE INDEX approvals_by_digest ON approvals (digest)",
    ), (
        "CREATE TABLE inputs (approval TEXT PRIMARY KEY, told TEXT NOT NULL)",
        "CREATE TABLE secret (value BLOB NOT NULL)",
        "CREATE INDEX approvals_by_requester ON approvals (requester, state)",
    )))
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM approvals"  # noqa: S608 -- names of fields
_MOST_NOTE = 2000
_MOST_INPUTS = 256 * 1024
_MOST_OPEN = 1000
"""Questions that one requester may have open, so that nobody is buried under them."""
_ID_BYTES = 6
_LEAST_NAME = 6
"""Letters of an id that a decision must name: nothing is approved by a slip of the hand."""
_CLOCK_SECONDS = 60.0
"""How far a clock is set back without a word, as clocks that are kept right are."""
_Answer = TypeVar("_Answer")


class Approvals:
    """The questions of one user's state; safe to use from many threads and processes."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Remember where; nothing is opened or made yet."""
        self.database = Database(path, SHAPE)

    def request(
        self, *, verb: str, requester: str, digest: str, summary: str, rule: str, policy: str, reason: str,
        expires_seconds: float, project: str = "", self_approval: bool = False, inputs: str = "",
    ) -> Approval:
        """The open question about exactly this, as it was asked before or as it is asked now.

        ``inputs`` is what the person who decides may look at.
        """
        now = datetime.now(UTC)
        asked = Approval(
            id=secrets.token_hex(_ID_BYTES), verb=verb, requester=requester, digest=digest, summary=_line(summary),
            rule=rule, policy=policy, reason=_line(reason), requested=_stamp(now), project=project,
            expires=_stamp(now + timedelta(seconds=expires_seconds)), state=State.REQUESTED,
            self_approval=self_approval)
        return self._alone(lambda connection: self._open(connection, asked) or _insert(connection, asked, inputs))

    def inputs(self, name: str) -> str:
        """What is to be done, as it was told when it was asked."""
        def act(connection: sqlite3.Connection) -> str:
            found = connection.execute("SELECT told FROM inputs WHERE approval = ?", (_named(connection, name).id,))
            return str((found.fetchone() or ("",))[0])

        return self._alone(act)

    def secret(self) -> bytes:
        """The key of the digests: whoever reads one cannot try out what it was made from."""
        def act(connection: sqlite3.Connection) -> bytes:
            found = connection.execute("SELECT value FROM secret").fetchone()
            if found is None:
                found = (secrets.token_bytes(32),)
                connection.execute("INSERT INTO secret VALUES (?)", found)
            return bytes(found[0])

        return self._alone(act)

    def use(self, digest: str, *, requester: str, policy: str) -> Approval | None:
        """Take the approval of exactly this, if there is one that was not used; it is used then."""
        def act(connection: sqlite3.Connection) -> Approval | None:
            found = self._find(connection, digest, requester, policy, State.APPROVED)
            return None if found is None else _decide(connection, found.id, State.USED)

        return self._alone(act)

    def decide(self, name: str, *, by: str, approve: bool, note: str = "") -> Approval:
        """Approve or deny the question whose id begins so."""
        check_person(by, field="approval")

        def act(connection: sqlite3.Connection) -> Approval:
            asked = _named(connection, name)
            if len(name) < _LEAST_NAME:
                raise UsageError(f"approval: name at least {_LEAST_NAME} letters of it, such as {asked.id}",
                                 field="approval")
            if asked.state is not State.REQUESTED:
                raise UsageError(f"approval: {asked.id} is {asked.state} already", field="approval")
            if looks(by) == looks(asked.requester) and not asked.self_approval:
                raise UsageError(f"approval: {by} asked for it, and somebody else has to decide", field="approval")
            state = State.APPROVED if approve else State.DENIED
            return _decide(connection, asked.id, state, by=by, note=_line(note))

        return self._alone(act)

    def get(self, name: str) -> Approval:
        """One question by its id, or how it begins."""
        return self._alone(lambda connection: _named(connection, name))

    def all(self, state: State | None = None) -> list[Approval]:
        """Newest first; in one state, or in any."""
        where, values = ("WHERE state = ?", [str(state)]) if state is not None else ("", [])
        return self._alone(lambda connection: [_approval(row) for row in connection.execute(
            f"{_SELECT} {where} ORDER BY requested DESC, id", values)])

    def close(self) -> None:
        """Let go of the file."""
        self.database.close()

    def _open(self, connection: sqlite3.Connection, asked: Approval) -> Approval | None:
        return self._find(connection, asked.digest, asked.requester, asked.policy, State.REQUESTED)

    @staticmethod
    def _find(
        connection: sqlite3.Connection, digest: str, requester: str, policy: str, state: State,
    ) -> Approval | None:
        row = connection.execute(
            f"{_SELECT} WHERE digest = ? AND requester = ? AND policy = ? AND state = ? ORDER BY requested LIMIT 1",
            (digest, requester, policy, str(state))).fetchone()
        return None if row is None else _approval(row)

    def _alone(self, act: Callable[[sqlite3.Connection], _Answer]) -> _Answer:
        """In one transaction, after what is over its time was written down as such, which stays where it is refused."""
        def whole(connection: sqlite3.Connection) -> _Answer:
            with transaction(connection):
                _expire(connection)
            with transaction(connection):
                _expire(connection)  # what came to its end while another process held the file
                return act(connection)

        return self.database.do(whole)


def _expire(connection: sqlite3.Connection) -> None:
    now = datetime.now(UTC)
    ahead = _stamp(now + timedelta(seconds=_CLOCK_SECONDS))
    connection.execute(
        "UPDATE approvals SET state = ? WHERE state IN (?, ?) AND (expires <= ? OR requested > ? OR decided > ?)",
        (str(State.EXPIRED), str(State.REQUESTED), str(State.APPROVED), _stamp(now), ahead, ahead))


def _insert(connection: sqlite3.Connection, asked: Approval, inputs: str) -> Approval:
    many = connection.execute("SELECT count(*) FROM approvals WHERE requester = ? AND state = ?",
                              (asked.requester, str(State.REQUESTED))).fetchone()[0]
    if many >= _MOST_OPEN:
        raise UsageError(f"approval: {asked.requester} has {many} questions open already "
                         "(windtunnel approvals deny ends one, and so does its time)", field="approval")
    connection.execute("INSERT INTO inputs VALUES (?, ?)", (asked.id, inputs[:_MOST_INPUTS]))
    values = [getattr(asked, name) for name in _COLUMNS]
    connection.execute(f"INSERT INTO approvals VALUES ({', '.join('?' * len(_COLUMNS))})", values)  # noqa: S608
    return asked


def _decide(connection: sqlite3.Connection, id_: str, state: State, *, by: str = "", note: str = "") -> Approval:
    if state is State.USED:
        connection.execute("UPDATE approvals SET state = ? WHERE id = ?", (str(state), id_))
    else:
        connection.execute("UPDATE approvals SET state = ?, decided_by = ?, decided = ?, note = ? WHERE id = ?",
                           (str(state), by, _stamp(datetime.now(UTC)), note, id_))
    return _approval(connection.execute(f"{_SELECT} WHERE id = ?", (id_,)).fetchone())


def _named(connection: sqlite3.Connection, name: str) -> Approval:
    found = connection.execute(f"{_SELECT} WHERE substr(id, 1, ?) = ?", (len(name), name)).fetchmany(2) if name else []
    if len(found) != 1:
        many = "more than one approval begins" if found else "there is no approval that begins"
        raise UsageError(f"approval: {many} with {name[:40]!r} (windtunnel approvals list)", field="approval")
    return _approval(found[0])


def _approval(row: tuple[object, ...]) -> Approval:
    told = dict(zip(_COLUMNS, row, strict=True))
    return Approval(**{**told, "state": State(str(told["state"])), "self_approval": bool(told["self_approval"])})  # type: ignore[arg-type]  # as written


def _line(text: str) -> str:
    """Bounded, and on one line."""
    return "".join(letter if letter.isprintable() else " " for letter in text)[:_MOST_NOTE]


def _stamp(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds")
