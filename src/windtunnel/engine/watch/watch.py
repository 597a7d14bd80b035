"""One look over the audit log: what is new in it, what it means, and who was told.

What holds: looks of many processes take turns. A look that is killed at any moment is gone on with by the next; nothing
is missed. Every alert that a destination took is a record of the log, once for each destination.
"""

from __future__ import annotations

import bisect
import contextlib
import fcntl
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from windtunnel.core.alert import Alert, Evidence, Severity
from windtunnel.core.audit import AuditEntry, AuditQuery, AuditRecord
from windtunnel.core.errors import SandboxFailure, UsageError, WindtunnelError
from windtunnel.engine.audit import Trail
from windtunnel.engine.watch.destination import Destination, told
from windtunnel.engine.watch.reading import Watching
from windtunnel.engine.watch.watcher import ALERT, Watcher
from windtunnel.store.alerts import AlertStore, Owed, Place
from windtunnel.store.audit.checkpoint import read_checkpoint
from windtunnel.store.audit.query import find

CHANGED = "log-changed"
_BATCH = 10_000
"""Records between two times that the place is written down."""
_STEP = 500
_TURN_SECONDS = 600.0
_TURN_PAUSE = 0.1
_MOST_PAUSE = 3600.0
_START = Place(position=-1, hash="", memory="{}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What came of one look."""

    records: int = 0
    """How many were new."""
    alerts: tuple[Alert, ...] = ()
    """Those that were not known before."""
    delivered: int = 0
    owed: tuple[Owed, ...] = ()
    """What destinations did not take, and why."""
    notes: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class Watch:
    """Looks over one log by one set of rules."""

    trail: Trail
    store: AlertStore
    rules: Watching
    actor: str
    write: Callable[[str], None]
    """Puts a line on standard output, for a destination that asks for it."""
    record: bool = True
    """Whether deliveries are written into the log."""
    clock: Callable[[], float] = time.time
    """By which a destination that failed is left in peace."""
    _sizes: dict[str, int] = field(default_factory=dict)
    _watcher: tuple[int, Watcher] | None = None

    def look(self, *, since: str = "", at_once: bool = True) -> Looked:
        """Look at what is new, and deliver; ``since`` keeps alerts about older records from being delivered.

        Unless ``at_once``, a destination that failed is left in peace for a while.
        """
        with _turn(self.store.database.path.with_suffix(".lock")):
            records, alerts = self._look(since)
            now = None if at_once else self.clock()
            delivered = sum(self._deliver(one, now=now) for one in self.rules.destinations)
            return Looked(records=records, alerts=tuple(alerts), delivered=delivered, owed=tuple(self.store.owed()),
                          notes=self._record())

    # --- finding ---

    def _look(self, since: str) -> tuple[int, list[Alert]]:
        with _readable():
            place, found = self._begin()
            watcher = self._watcher_at(place, self._checkpoints())
            count, new, last = 0, [], place
            for record in self._records(place.position):
                found += watcher.see(record)
                last = Place(position=record.seq, hash=record.hash, memory="")
                count += 1
                if count % _BATCH == 0:
                    new += self._keep(last, watcher, found, since)
                    found = []
        if last is not place or found:
            new += self._keep(last, watcher, found, since)
        self._watcher = (last.position, watcher)
        return count, new

    def _records(self, after: int) -> Iterator[AuditRecord]:
        """Those that come later than this place; each step asks from where the one before ended."""
        while found := list(find(self.trail.log, AuditQuery(after=after, limit=_STEP))):
            yield from found
            after = found[-1].seq

    def _begin(self) -> tuple[Place, list[Alert]]:
        """Where to go on; from the start, and with an alert, where the log is not what it was."""
        place = self.store.place(self.rules.digest)
        if place is None:
            return _START, []
        there = self.trail.log.get(place.position) if place.position >= 0 else None
        size = self.trail.log.size
        cut = place.position >= size
        if not cut and (there is None or there.hash == place.hash):
            return place, []
        self._watcher = None
        return _START, [Alert(
            rule=CHANGED, severity=Severity.HIGH, subject="audit log", time="" if there is None else there.time,
            records=(Evidence(seq=place.position, id=place.hash),),
            figures={"seen": place.position + 1, "records": size},
            message=f"the log ends before record {place.position}, which was there before" if cut
            else f"record {place.position} is not the one that was there before")]

    def _watcher_at(self, place: Place, sizes: Sequence[int]) -> Watcher:
        def checkpoint(seq: int) -> int:
            at = bisect.bisect_right(sizes, seq)
            return sizes[at - 1] if at else 0

        # What is remembered moves on with every record, and is of no use where the look ends before its place is kept.
        known, self._watcher = self._watcher, None
        memory = known[1].memory if known is not None and known[0] == place.position else json.loads(place.memory)
        return Watcher(self.rules.active, memory=memory, earlier=self._trial, checkpoint=checkpoint)

    def _trial(self, name: str, before: int) -> AuditRecord | None:
        for record in find(self.trail.log, AuditQuery(id=name, kind="trial", newest_first=True, limit=10)):
            if record.entry.subject == name and record.seq < before:
                return record
        return None

    def _checkpoints(self) -> list[int]:
        """Sizes of the log that were signed for with one of our keys."""
        keys = None
        for note in self.trail.log.checkpoints():
            if note not in self._sizes:
                keys = self.trail.keys.public() if keys is None else keys
                with contextlib.suppress(UsageError):
                    self._sizes[note] = read_checkpoint(note, keys).size
        return sorted(set(self._sizes.values()))

    def _keep(self, last: Place, watcher: Watcher, found: list[Alert], since: str) -> list[Alert]:
        place = Place(position=last.position, hash=last.hash, memory=json.dumps(watcher.memory))
        return self.store.keep(self.rules.digest, place, found, owed=lambda alert: [
            one.name for one in self.rules.destinations
            if alert.severity.at_least(one.least) and (alert.time >= since or not alert.time)])

    # --- telling ---

    def _deliver(self, destination: Destination, *, now: float | None) -> int:
        """Send what is owed, oldest first; at the first failure the rest waits."""
        sent = 0
        for alert, tries in self.store.waiting(destination.name, now=now):
            try:
                destination.send(alert, self.write)
            except WindtunnelError as error:
                again = self.clock() + min(2.0**min(tries, 20), _MOST_PAUSE)
                self.store.failed(alert.id, destination.name, error=str(error), not_before=again)
                return sent
            self.store.delivered(alert.id, destination.name)
            sent += 1
        return sent

    def _record(self) -> tuple[str, ...]:
        """Write into the log who was told; what cannot be written now is written after the next look."""
        try:
            for alert, destination in self.store.unrecorded() if self.record else ():
                entry = self._entry(alert, destination)
                # It can only stand after what it is about, so that not all of the log has to be searched for it.
                after = alert.records[-1].seq if alert.records else -1
                known = find(self.trail.log, AuditQuery(id=entry.id, kind=ALERT, limit=1, after=after))
                if next(known, None) is None:
                    self.trail.log.append(entry)
                self.store.recorded(alert.id, destination)
        except WindtunnelError as error:
            return (f"deliveries are not in the audit log yet: {error}",)
        return ()

    def _entry(self, alert: Alert, destination: str) -> AuditEntry:
        newest = alert.records[-1].id if alert.records else ""
        id_ = hashlib.sha256(f"{alert.id} {destination}".encode()).hexdigest()[:32]
        return AuditEntry(kind=ALERT, outcome="delivered", actor=self.actor, subject=alert.rule, parent=newest, id=id_,
                          details={"alert": json.loads(json.dumps(told(alert), default=_fields)),
                                   "destination": destination})


def _fields(value: object) -> object:
    assert isinstance(value, Evidence)
    return {"seq": value.seq, "id": value.id}


@contextlib.contextmanager
def _readable() -> Iterator[None]:
    try:
        yield
    except UsageError:
        raise
    except ValueError as error:
        raise SandboxFailure(f"a record cannot be read: {error} (windtunnel audit verify says which)") from error


@contextlib.contextmanager
def _turn(path: Path) -> Iterator[None]:
    """Alone among the watches of this state; the kernel lets go when this process dies."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        held = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise SandboxFailure(f"{path}: cannot be used: {error.strerror}; make the folder writable, or set "
                             "WINDTUNNEL_STATE_DIR to another folder") from error
    try:
        until = time.monotonic() + _TURN_SECONDS
        while not _taken(held):
            if time.monotonic() >= until:
                raise SandboxFailure(f"another watch has been at work for {_TURN_SECONDS:g} seconds; wait for it, or "
                                     "end it")
            time.sleep(_TURN_PAUSE)
        yield
    finally:
        os.close(held)


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
