"""Keys as rows: of each secret only a hash, keyed with a secret of the store's own.

What holds: a key is told once, when it is made; whoever reads the file finds no key in it. A check takes the same time
for an unknown id, a wrong secret, and a key that was revoked or is over its time, and each is answered alike. What does
not hold: when a key was last used, and how often today, is written down some seconds later, so that a crash forgets the
last calls; a key that somebody chose instead of us can be guessed by whoever reads this file.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import secrets
import sqlite3
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from windtunnel.core.errors import UsageError
from windtunnel.core.keys import Caller, Key, KeyRefused, permissions_of
from windtunnel.store.database import Database, Shape

SHAPE = Shape(
    what="list of keys", application=0x57544B59, elsewhere="or set WINDTUNNEL_STATE_DIR to another folder",
    synchronous="FULL", migrations=((
        """CREATE TABLE keys (id TEXT PRIMARY KEY, user TEXT NOT NULL, digest BLOB NOT NULL, roles TEXT NOT NULL,
            permissions TEXT NOT NULL, name TEXT NOT NULL, made TEXT NOT NULL, expires TEXT, revoked TEXT, used TEXT,
            per_day INTEGER)""",
        "CREATE TABLE calls (key TEXT NOT NULL, day TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (key, day))",
        "CREATE TABLE secret (value BLOB NOT NULL)",
    ),))
_COLUMNS = ("id", "user", "roles", "permissions", "name", "made", "expires", "revoked", "used", "per_day")
_SELECT = f"SELECT {', '.join(_COLUMNS)}, digest FROM keys"  # noqa: S608 -- names of columns
_SHAPE_OF_KEY = re.compile(r"wt_([0-9a-f]{12})_([0-9a-f]{64})")
_MOST_KEY = 200
_MOST_KEYS = 10_000
_CHOSEN = "chosen:"
"""How the ids of keys begin that somebody chose; none of ours does."""
REFUSAL = "key: none, or not a good one (send Authorization: Bearer wt_…; windtunnel keys create makes one)"


class Keys:
    """The keys of one server's users; safe to use from many threads and processes."""

    def __init__(
        self, path: str | os.PathLike[str], *, now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Remember where; nothing is opened or made yet."""
        self.database, self._now = Database(path, SHAPE), now
        self._lock = threading.Lock()
        self._uses: dict[str, int] = {}
        self._pepper: bytes | None = None

    def create(
        self, *, user: str, roles: Sequence[str] = (), permissions: Sequence[str] = (), name: str = "",
        expires: datetime | None = None, per_day: int | None = None,
    ) -> tuple[Key, str]:
        """A new key, and the only time that it is told."""
        made = Key(id=secrets.token_hex(6), user=user, roles=tuple(roles), permissions=tuple(permissions),
                   name=_line(name), made=self._now(), expires=expires, per_day=per_day)
        secret = secrets.token_hex(32)
        self._insert(made, self._digest(secret))
        return made, f"wt_{made.id}_{secret}"

    def adopt(self, users: Sequence[tuple[str, str, Sequence[str]]]) -> list[Key]:
        """Keys that somebody chose, as in a ``sandbox_auth.json``: (user, key, permissions), kept by their hashes.

        Those adopted before whose user is not among them any more are revoked; a key that was revoked stays so.
        """
        made = [(_chosen(user, chosen, permissions, self._now()), self._digest(chosen))
                for user, chosen, permissions in users]
        before = {key.id: key for key in self.all() if key.id.startswith(_CHOSEN)}
        for key in before.keys() - {one.id for one, _ in made}:
            self.revoke(key)
        for one, digest in made:
            if one.id not in before or before[one.id].revoked is None or digest != self._digest_of(one.id):
                self._insert(one, digest)
        return [self.get(one.id) for one, _ in made]

    def check(self, given: str) -> Caller:
        """Who holds this key; ``KeyRefused`` for whatever is wrong with it."""
        given = given if len(given) <= _MOST_KEY else ""
        match = _SHAPE_OF_KEY.fullmatch(given)
        found = [] if not given else self.database.do(lambda connection: connection.execute(
            f"{_SELECT} WHERE id = ?" if match else f"{_SELECT} WHERE id LIKE '{_CHOSEN}%'",
            (match[1],) if match else ()).fetchall())
        digest, fitting = self._digest(match[2] if match else given), None
        for row in found or [(*[None] * len(_COLUMNS), bytes(32))]:
            # No early way out: how long this takes says nothing about which one it was.
            if hmac.compare_digest(digest, bytes(row[-1])):
                fitting = row
        key = None if fitting is None or fitting[0] is None else _key(fitting)
        if key is None or not key.good(self._now()):
            raise KeyRefused(REFUSAL, field="key")
        with self._lock:
            self._uses[key.id] = self._uses.get(key.id, 0) + 1
        return Caller(user=key.user, roles=key.roles, permissions=permissions_of(key.roles, key.permissions),
                      key=key.id, per_day=key.per_day)

    def any(self) -> bool:
        """Whether a key was ever made; a revoked one counts, so that revoking the last one opens nothing."""
        return self.database.path.exists() and bool(
            self.database.do(lambda connection: connection.execute("SELECT 1 FROM keys LIMIT 1").fetchone()))

    def all(self) -> list[Key]:
        """Newest first."""
        if not self.database.path.exists():
            return []
        return self.database.do(lambda connection: [_key(row) for row in connection.execute(
            f"{_SELECT} ORDER BY made DESC, id")])

    def get(self, name: str) -> Key:
        """One by its id."""
        found = self.database.do(lambda connection: connection.execute(f"{_SELECT} WHERE id = ?", (name,)).fetchone())
        if found is None:
            raise UsageError(f"key: there is none with the id {name[:40]!r} (windtunnel keys list)", field="key")
        return _key(found)

    def revoke(self, name: str) -> Key:
        """It opens nothing any more, and never again."""
        key = self.get(name)
        if key.revoked is None:
            stamp = _stamp(self._now())
            self.database.alone(lambda connection: connection.execute(
                "UPDATE keys SET revoked = ? WHERE id = ?", (stamp, key.id)))
        return self.get(key.id)

    def rotate(self, name: str) -> tuple[Key, str]:
        """A new key with all that this one could, which is revoked."""
        old = self.get(name)
        if not old.good(self._now()):
            raise UsageError(f"key: {old.id} is revoked or over its time already (create a new one)", field="key")
        made = replace(old, id=secrets.token_hex(6), made=self._now(), used=None)
        secret = secrets.token_hex(32)
        self._insert(made, self._digest(secret))
        self.revoke(old.id)
        return made, f"wt_{made.id}_{secret}"

    def calls_today(self, key: str) -> int:
        """How often it was used since midnight UTC, what is not yet written down included."""
        with self._lock:
            held = self._uses.get(key, 0)
        day = self._now().date().isoformat()
        row = self.database.do(lambda connection: connection.execute(
            "SELECT count FROM calls WHERE key = ? AND day = ?", (key, day)).fetchone())
        return held + (int(row[0]) if row else 0)

    def flush(self) -> None:
        """Write down what was used since the last time; days long past are forgotten."""
        with self._lock:
            uses, self._uses = self._uses, {}
        if not uses:
            return
        now = self._now()

        def act(connection: sqlite3.Connection) -> None:
            for key, count in uses.items():
                connection.execute("INSERT INTO calls VALUES (?, ?, ?) ON CONFLICT (key, day) DO UPDATE SET "
                                   "count = count + excluded.count", (key, now.date().isoformat(), count))
                connection.execute("UPDATE keys SET used = ? WHERE id = ?", (_stamp(now), key))
            connection.execute("DELETE FROM calls WHERE day < ?", (now.replace(day=1).date().isoformat(),))

        self.database.alone(act)

    def close(self) -> None:
        """Write down what is left, and let go of the file."""
        self.flush()
        self.database.close()

    def _insert(self, key: Key, digest: bytes) -> None:
        def act(connection: sqlite3.Connection) -> None:
            if connection.execute("SELECT count(*) FROM keys").fetchone()[0] >= _MOST_KEYS:
                raise UsageError(f"key: there are {_MOST_KEYS} already", field="key")
            connection.execute("INSERT OR REPLACE INTO keys VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (
                key.id, key.user, digest, json.dumps(key.roles), json.dumps(key.permissions), key.name,
                _stamp(key.made), _stamp(key.expires), _stamp(key.revoked), _stamp(key.used), key.per_day))

        self.database.alone(act)

    def _digest_of(self, name: str) -> bytes:
        row = self.database.do(lambda connection: connection.execute(
            "SELECT digest FROM keys WHERE id = ?", (name,)).fetchone())
        return bytes(row[0])

    def _digest(self, secret: str) -> bytes:
        if self._pepper is None:
            self._pepper = self.database.alone(_pepper)
        return hmac.new(self._pepper, secret.encode("utf-8", "surrogatepass"), hashlib.sha256).digest()


def _pepper(connection: sqlite3.Connection) -> bytes:
    found = connection.execute("SELECT value FROM secret").fetchone()
    if found is None:
        found = (secrets.token_bytes(32),)
        connection.execute("INSERT INTO secret VALUES (?)", found)
    return bytes(found[0])


def _chosen(user: str, chosen: str, permissions: Sequence[str], now: datetime) -> Key:
    if not 0 < len(chosen) <= _MOST_KEY or not chosen.isprintable():
        raise UsageError(f"api_key: that of {user[:60]!r} is not 1 to {_MOST_KEY} printable letters", field="api_key")
    return Key(id=f"{_CHOSEN}{user}", user=user, permissions=tuple(permissions), made=now)


def _key(row: Sequence[object]) -> Key:
    told = dict(zip(_COLUMNS, row, strict=False))
    moments = {name: _moment(told[name]) for name in ("made", "expires", "revoked", "used")}
    lists = {name: tuple(json.loads(str(told[name]))) for name in ("roles", "permissions")}
    return Key(**{**told, **moments, **lists})  # type: ignore[arg-type]  # as written


def _moment(text: object) -> datetime | None:
    return None if text is None else datetime.fromisoformat(str(text))


def _stamp(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).isoformat(timespec="microseconds")


def _line(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)[:200]
