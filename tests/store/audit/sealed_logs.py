"""Sealed logs for the tests."""

from __future__ import annotations

from entries import entry

from windtunnel.core.audit import AuditQuery
from windtunnel.store.audit.keys import KeyRing
from windtunnel.store.audit.query import find
from windtunnel.store.audit.sealing import seal

NAME = "log.example"


def ring_of(log):
    return KeyRing(log.path.parent / "keys", name=NAME)


def sealed_upto(log, upto, *, encrypt=False):
    """Seal all records before this place."""
    key = log.segments.encryption.current() if encrypt else None
    return seal(log, keep_live=log.size - upto, signer=ring_of(log).current(), key=key, actor="ann")


def sealed_log(log, *, encrypt=False):
    """Thirty records, of which 0 to 9 and 10 to 19 are sealed: 32 records with the two that say so."""
    log.append_all([entry(number) for number in range(30)])
    sealed_upto(log, 10, encrypt=encrypt)
    sealed_upto(log, 20, encrypt=encrypt)
    return log


def large(number, *, letter="x"):
    """An entry that fills a frame of its own."""
    return entry(number, details={"number": number, "text": letter * 300_000})


def everything(log, **query):
    return list(find(log, AuditQuery(**query)))
