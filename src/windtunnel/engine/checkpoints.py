"""Sends signed checkpoints to where the log's writer cannot reach them: when asked, or now and then by whoever writes.

What holds: each sending is written down, also one that failed; a place that failed is tried again, later each time, and
that is said. An act never waits for a sending; a process that ends waits a few seconds for one that is under way, and
leaves the rest to the next. Of many processes one sends. What does not hold: between two checkpoints the log's writer
can still cut off what came since the last; the interval is how much that can be.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from windtunnel.config import Settings
from windtunnel.core.audit import AuditEntry
from windtunnel.core.errors import WindtunnelError
from windtunnel.engine.audit import Trail, keys_in
from windtunnel.store.audit.checkpoint import Checkpoint, read_checkpoint
from windtunnel.store.audit.destination import Destination, destination
from windtunnel.store.audit.log import AuditLog

CLOSE_SECONDS = 5.0
"""How long a process that ends waits for what is under way."""
_LEAST_RETRY_SECONDS = 60.0
_MOST_DOUBLINGS = 10
_MOST_STATE = 1024**2


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """What became of one checkpoint at one place."""

    to: str
    success: bool
    told: str
    size: int


def send_all(trail: Trail, note: str, places: Sequence[Destination], *, actor: str, session: str = "") -> list[Sent]:
    """Send one note to all places, and write each sending down."""
    checkpoint = read_checkpoint(note, trail.keys.public())
    sent = [_send(place, note, checkpoint) for place in places]
    trail.log.append_all([AuditEntry(
        kind="checkpoint", outcome="done" if one.success else "failed", actor=actor, session=session, subject=one.to,
        details={"size": one.size, "root": checkpoint.root.hex(), "told": one.told}) for one in sent])
    return sent


def _send(place: Destination, note: str, checkpoint: Checkpoint) -> Sent:
    try:
        told, good = place.send(note, checkpoint), True
    except WindtunnelError as error:
        told, good = str(error)[:500], False
    return Sent(to=place.name, success=good, told=told, size=checkpoint.size)


class Courier:
    """Sends to some places, each at most once in so many minutes; safe to use from many threads."""

    def __init__(
        self, trail: Callable[[], Trail], places: Sequence[str], *, minutes: float, folder: Path, actor: str,
        tell: Callable[[str], None], clock: Callable[[], float] = time.time,
    ) -> None:
        """``folder`` is where it is remembered what was sent; ``tell`` hears of what could not be."""
        self._places = {hashlib.sha256(place.encode()).hexdigest(): destination(place) for place in places}
        self._trail, self._seconds, self._folder = trail, minutes * 60, folder
        self._actor, self._tell, self._clock = actor, tell, clock
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._next, self._pid = 0.0, os.getpid()

    def nudge(self) -> None:
        """Something was written: send in the background what is due. This itself takes no time."""
        if self._clock() < self._next and self._pid == os.getpid():
            return
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._pid, self._next = os.getpid(), self._clock() + min(self._seconds, _LEAST_RETRY_SECONDS)
                self._thread = threading.Thread(target=self._go, name="windtunnel-courier", daemon=True)
                self._thread.start()

    def close(self, seconds: float = CLOSE_SECONDS) -> None:
        """Wait for what is under way, and no longer than that."""
        thread = self._thread
        if thread is not None and self._pid == os.getpid():
            thread.join(seconds)

    def _go(self) -> None:
        try:
            self.send_due()
        except WindtunnelError as error:
            self._tell(f"checkpoints were not sent: {error}")
        except OSError as error:
            self._tell(f"checkpoints were not sent: {self._folder}: {error.strerror}")

    def send_due(self) -> list[Sent]:
        """Send to all places that are due; to none where another process is at it, or nothing was written since."""
        with _alone(self._folder / "checkpoints.lock") as mine:
            if not mine:
                return []
            state = _read(self._folder / "checkpoints.sent")
            trail = self._trail()
            due = [key for key in self._places if self._is_due(state.get(key, {}), trail.log.size)]
            if not due:
                return []
            sent = send_all(trail, trail.checkpoint(), [self._places[key] for key in due], actor=self._actor)
            # The records of the sendings themselves are no reason for the next.
            size, now = trail.log.size, self._clock()
            for key, one in zip(due, sent, strict=True):
                failures = 0 if one.success else int(state.get(key, {}).get("failures", 0)) + 1
                state[key] = {"time": now, "size": size if one.success else 0, "failures": failures}
                if failures:
                    self._tell(f"the checkpoint was not sent to {one.to}, and will be tried again: {one.told}")
            _write(self._folder / "checkpoints.sent", {key: state[key] for key in self._places if key in state})
        return sent

    def _is_due(self, told: dict[str, Any], size: int) -> bool:
        failures = min(int(told.get("failures", 0)), _MOST_DOUBLINGS)
        wait = min(_LEAST_RETRY_SECONDS * 2 ** (failures - 1), self._seconds) if failures else self._seconds
        since = self._clock() - float(told.get("time", 0.0))
        # A clock that was set back must not keep checkpoints here for ever.
        return size > int(told.get("size", 0)) and (since >= wait or since < 0)


def courier(settings: Settings, log: AuditLog, *, actor: str, tell: Callable[[str], None]) -> Courier:
    """As the settings say."""
    trail = Trail(log=log, keys=keys_in(settings.state_dir))
    return Courier(lambda: trail, settings.audit_checkpoints, minutes=settings.audit_checkpoint_minutes,
                   folder=settings.state_dir, actor=actor, tell=tell)


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[bool]:
    """Whether nobody else sends; the kernel lets go when this process dies."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)


def _read(path: Path) -> dict[str, Any]:
    """What was sent; nothing where that cannot be read, which only means that it is sent again."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            told = json.loads(file.read(_MOST_STATE))
        return {key: {name: float(one[name]) for name in ("time", "size", "failures")} for key, one in told.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _write(path: Path, state: dict[str, Any]) -> None:
    draft = path.with_suffix(".new")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(state, file)
    draft.rename(path)
