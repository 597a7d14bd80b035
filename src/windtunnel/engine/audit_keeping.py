"""The verbs that keep the audit log small and as long as it has to be: seal, retain, and both of them unasked."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path

from windtunnel.config import Settings
from windtunnel.core.errors import UsageError, WindtunnelError
from windtunnel.core.span import Span, moment_before
from windtunnel.engine.audit import Trail, keys_in
from windtunnel.store.audit.encryption import EncryptionKey
from windtunnel.store.audit.log import AuditLog
from windtunnel.store.audit.retention import Retention, retain
from windtunnel.store.audit.sealing import Sealing, seal

USUAL_AGE = Span(30 * 86_400)
"""How old records are that ``audit seal`` takes when nothing is said."""
_LOOK_SECONDS = 86_400
_MOST_UNASKED = 2
"""Segments that are made by whoever happens to write: no more than a few seconds of work."""
Tell = Callable[[str], object]


def seal_records(
    trail: Trail, *, older: Span | None, keep_live: int | None, encrypt: bool | None, actor: str, tell: Tell = str,
    most: int | None = None,
) -> Sealing:
    """Seal what is ``older``, but not the last ``keep_live``; where neither is said, what is older than 30 days.

    Where ``encrypt`` is not said, a segment is encrypted when an earlier one was meant to be: never weaker in silence.
    """
    if older is None and keep_live is None:
        older = USUAL_AGE
    trail.log.settle()
    before = moment_before(older) if older is not None else ""
    return seal(trail.log, before=before, keep_live=keep_live or 0, signer=trail.keys.current(),
                key=_key(trail, encrypt), actor=actor, most=most, tell=tell)


def _key(trail: Trail, encrypt: bool | None) -> EncryptionKey | None:  # noqa: FBT001 -- three answers, one of them none
    ring = trail.log.segments.encryption
    return ring.current() if (not ring.is_empty if encrypt is None else encrypt) else None


def retain_records(
    trail: Trail, *, older: Span, at_least: Span | None, actor: str, dry_run: bool = False, tell: Tell = str,
) -> Retention:
    """Remove sealed records that are ``older``; refused where they are to be kept ``at_least`` longer."""
    if at_least is not None and older < at_least:
        raise UsageError(f"older: {older} is less than the {at_least} that audit_retention says records are kept",
                         field="older")
    return retain(trail.log, before=moment_before(older), actor=actor, dry_run=dry_run, tell=tell)


def keep_if_due(log: AuditLog, settings: Settings, *, actor: str, tell: Tell) -> None:
    """What the settings say of sealing and retention, done by whoever writes, at most once a day and a bit at a time.

    What goes wrong is told and keeps nobody from anything: the records stay where they are.
    """
    if settings.audit_store is not None or (settings.audit_seal_after is None and settings.audit_retention is None):
        return
    stamp = log.path.with_suffix(".kept")
    if not _is_due(stamp):
        return
    try:
        _touch(stamp)
        trail = Trail(log=log, keys=keys_in(settings.state_dir))
        if _keep(trail, settings, actor=actor):
            os.utime(stamp, (0, 0))  # there is more to do: the next who writes goes on
    except (WindtunnelError, OSError) as error:
        tell(f"the audit log could not be tidied: {error}")


def _keep(trail: Trail, settings: Settings, *, actor: str) -> bool:
    """Whether there is more to do. What is to be removed is sealed first, also where nothing is said of sealing."""
    span = settings.audit_retention
    older = min(one for one in (settings.audit_seal_after, span) if one is not None)
    more = seal_records(trail, older=older, keep_live=None, encrypt=None, actor=actor, most=_MOST_UNASKED).more
    if span is not None and retain_records(trail, older=span, at_least=span, actor=actor, dry_run=True).removed:
        retain_records(trail, older=span, at_least=span, actor=actor)
    return more


def _is_due(stamp: Path) -> bool:
    """Whether nobody looked for a day; a look in the future, by a clock that was wrong, does not count."""
    try:
        looked = stamp.stat().st_mtime
    except OSError:
        return True
    return not 0 <= time.time() - looked < _LOOK_SECONDS


def _touch(stamp: Path) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    with contextlib.closing(os.fdopen(os.open(stamp, flags, 0o600), "wb")):
        os.utime(stamp)
