"""The verbs over the audit log: sign, verify, prove."""

from __future__ import annotations

import contextlib
import re
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from windtunnel.core.address import DatabaseAddress
from windtunnel.core.audit import AuditQuery, AuditRecord
from windtunnel.core.errors import UsageError
from windtunnel.store.audit.checkpoint import Checkpoint, read_checkpoint
from windtunnel.store.audit.consistency import ConsistencyProof, prove_growth
from windtunnel.store.audit.fault import Fault
from windtunnel.store.audit.keeping_state import keeping_state
from windtunnel.store.audit.keys import KeyRing
from windtunnel.store.audit.log import AuditLog
from windtunnel.store.audit.note import PublicKey, is_signed_as
from windtunnel.store.audit.opening import open_log
from windtunnel.store.audit.proof import Proof, prove
from windtunnel.store.audit.query import find
from windtunnel.store.audit.verify import Verdict, verify


@dataclass(frozen=True, slots=True, kw_only=True)
class Trail:
    """A log with the keys that sign for it."""

    log: AuditLog
    keys: KeyRing

    def checkpoint(self) -> str:
        """Sign what the log is now, keep the note beside it, and give it."""
        size, root = self.log.head()
        key = self.keys.current()
        note = Checkpoint(origin=key.name, size=size, root=root,
                          time=datetime.now(UTC).isoformat(timespec="seconds")).signed(key)
        self.log.keep_checkpoint(size, note)
        return note

    def verify(self, outside: Sequence[str] = (), *, keys: Sequence[PublicKey] = ()) -> Verdict:
        """Read the whole log; hold it against its own checkpoints, and against those that were kept ``outside``."""
        trusted = [*keys, *self.keys.public()]
        self.log.segments.also = tuple(keys)
        kept, fault = self._stored(trusted)
        known = [*kept, *(read_checkpoint(note, trusted) for note in outside)]
        verdict = verify(self.log, known, outside=bool(outside))
        exposed = tuple(f"what somebody else signed with {path.name}, a secret key that others may read (make a new "
                        "one: windtunnel audit keys rotate)" for path in self.keys.exposed())
        return replace(verdict, fault=verdict.fault or fault, not_found=(*verdict.not_found, *exposed))

    def _stored(self, trusted: Sequence[PublicKey]) -> tuple[list[Checkpoint], Fault | None]:
        """The checkpoints that the log keeps itself, and the first of them that is none."""
        found: list[Checkpoint] = []
        fault = None
        for note in self.log.checkpoints():
            try:
                found.append(read_checkpoint(note, trusted))
            except UsageError as error:
                if self.log.is_shared and not is_signed_as(note, trusted):
                    raise  # of another machine, whose key is given with --key
                fault = fault or Fault(seq=-1, kind="edited", message=(
                    f"the stored checkpoint of {_size_of(note)} records is not what was signed: {error}; where the "
                    "key that signed it is not here, give it with --key"))
        return found, fault

    def prove(self, record: AuditRecord) -> Proof:
        """A proof by the last checkpoint, or by a new one where the record came later."""
        for note in reversed(self.log.checkpoints()):
            with contextlib.suppress(UsageError):  # of another machine, where several share the log
                size = read_checkpoint(note, self.keys.public()).size
                if size > record.seq:
                    return prove(self.log, record.seq, note=note, size=size)
        note = self.checkpoint()
        return prove(self.log, record.seq, note=note, size=read_checkpoint(note, self.keys.public()).size)

    def prove_growth(self, since: str, *, keys: Sequence[PublicKey] = ()) -> ConsistencyProof:
        """A proof that the log only grew since that checkpoint, up to the last one, or to a new one where it is not."""
        older = read_checkpoint(since, [*keys, *self.keys.public()])
        for note in reversed(self.log.checkpoints()):
            with contextlib.suppress(UsageError):  # of another machine, where several share the log
                newest = read_checkpoint(note, self.keys.public())
                if newest.size > older.size:
                    return prove_growth(self.log, older=(since, older), newer=(note, newest))
                break
        note = self.checkpoint()
        return prove_growth(self.log, older=(since, older), newer=(note, read_checkpoint(note, self.keys.public())))

    def entry(self, name: str) -> AuditRecord:
        """A record by its place, or the last one of an act by its id or by what it is about."""
        if name.isdecimal() and len(name) < 16:  # noqa: PLR2004 -- a longer one is an id that happens to have no letter
            found = self.log.get(int(name))
        else:
            found = next(find(self.log, AuditQuery(id=name, limit=1, newest_first=True)), None) if name else None
        if found is None and name.isdecimal() and (state := keeping_state(self.log.shelf.live)).has_removed(int(name)):
            raise UsageError(f"entry: record {name} was removed by retention, as record {state.said_by} says",
                             field="entry")
        if found is None:
            raise UsageError(f"entry: there is no record {name!r} (windtunnel audit log lists them)", field="entry")
        return found


def trail_in(
    folder: Path, store: DatabaseAddress | None = None, *, reading: Callable[[str], object] | None = None,
) -> Trail:
    """The log and the keys of one folder of state; the rows of the log in a ``store``, where there is one.

    With ``reading``, a log that cannot be written is only read, which is told.
    """
    return Trail(log=open_log(folder, store, reading=reading), keys=keys_in(folder))


def keys_in(folder: Path) -> KeyRing:
    """The keys that sign for the log of one folder of state."""
    return KeyRing(folder / "keys", name=_origin())


def _size_of(note: str) -> str:
    """What a note says of its size, for a person; it is not believed."""
    told = [*note.split("\n", 2), "", ""][1]
    return told if told.isdecimal() and len(told) < 20 else "?"  # noqa: PLR2004 -- no log has as many


def _origin() -> str:
    """What this log is called in its checkpoints: by the machine it is on."""
    name = re.sub(r"[^A-Za-z0-9.-]", "", socket.gethostname())
    return f"windtunnel/{name or 'localhost'}"
