"""Entries and logs for the tests."""

from __future__ import annotations

import random
import sqlite3

from windtunnel.core.audit import AuditEntry

HOSTILE = 'line\nbreak \x1b[31mred\x1b[0m {"seq":0} \u2028\u2029 \x00 \ud800 é'


def entry(number=0, **fields):
    return AuditEntry(**{"kind": "run", "outcome": "done", "actor": "ann", "session": "s1", "project": "/p",
                         "details": {"number": number, "text": f"entry {number}"}, **fields})


def filled(log, count):
    log.append_all([entry(number) for number in range(count)])
    return log


def bend(log, *statements):
    """Change the file behind the log's back."""
    log.close()
    connection = sqlite3.connect(log.database.path, isolation_level=None)
    for statement, *values in statements:
        connection.execute(statement, *values)
    connection.close()


def flipped(data: bytes, chance: random.Random) -> bytes:
    """One bit of it turned over."""
    place = chance.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << chance.randrange(8)]) + data[place + 1:]
