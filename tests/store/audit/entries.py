"""Entries and logs for the tests."""

from __future__ import annotations

import random
import sqlite3

from windtunnel.core.audit import AuditEntry

HOSTILE = 'line\nbreak \x1b[31mred\x1b[0m {"seq":0} \u2028\u2029 \x00 \ud800 é'

_WORDS = {"records": "windtunnel.audit_records", "?": "%s", "x'00'": r"'\x00'", "zeroblob(32)": "decode(repeat('00', 32), 'hex')"}
"""How PostgreSQL says what SQLite says."""


def entry(number=0, **fields):
    return AuditEntry(**{"kind": "run", "outcome": "done", "actor": "ann", "session": "s1", "project": "/p",
                         "details": {"number": number, "text": f"entry {number}"}, **fields})


def filled(log, count):
    log.append_all([entry(number) for number in range(count)])
    return log


def live(log):
    """The shelf itself, without the segments around it."""
    return getattr(log.shelf, "live", log.shelf)


def store_of(log):
    """The address of the log's database; none where it is a file."""
    return live(log).server._address if hasattr(live(log), "server") else None


def looked(log, statement, *values):
    """What the database itself says, in the words of SQLite."""
    store = store_of(log)
    if store is None:
        connection = sqlite3.connect(log.path, isolation_level=None)
        found = connection.execute(statement, *values).fetchall()
        connection.close()
        return found
    import psycopg

    for ours, theirs in _WORDS.items():
        statement = statement.replace(ours, theirs)
    with psycopg.connect(store.secret, autocommit=True) as connection:
        cursor = connection.execute(statement, *values)
        return cursor.fetchall() if cursor.description else []


def bend(log, *statements):
    """Change the store behind the log's back."""
    log.close()
    for statement, *values in statements:
        looked(log, statement, *values)


def flipped(data: bytes, chance: random.Random) -> bytes:
    """One bit of it turned over."""
    place = chance.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << chance.randrange(8)]) + data[place + 1:]
