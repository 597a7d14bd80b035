"""One record around every act: who asked for what, what held while it went on, how it ended.

What holds: an act begins only when its beginning is noted, and its answer is told only when its record is written;
where the log cannot be written the act is refused, unless the operator chose that it goes on and its result says so.
What a program prints is kept as bounded text inside one field, never as a record. Contents are kept by their hashes,
variables by their names alone. What does not hold: a program that prints a secret of its own has it in its record.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from windtunnel.core.audit import AuditEntry
from windtunnel.core.errors import UsageError, WindtunnelError
from windtunnel.core.ports import AuditSink

if TYPE_CHECKING:
    from windtunnel.core.policy import Decision
    from windtunnel.engine.purse import Purse

UNRECORDED = "record"
"""The name under which a result says that nothing was written down of it, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorder:
    """Writes down what one actor does in one session."""

    sink: AuditSink
    actor: str
    session: str
    go_on: bool = False
    """Whether an act goes on that cannot be written down."""

    @contextlib.contextmanager
    def act(
        self, kind: str, *, inputs: Mapping[str, object], project: str = "", parent: str = "", wait: bool = False,
    ) -> Iterator[Act]:
        """Around one act; ``wait`` for the disk where it changes something outside of us."""
        entry = AuditEntry(kind=kind, outcome="begun", actor=self.actor, session=self.session, parent=parent,
                           project=project, details={
                               "inputs": inputs, "begun": datetime.now(UTC).isoformat(timespec="microseconds")})
        act = Act(entry=entry, begun=time.monotonic())
        self._write(act, lambda: self.sink.begin(entry, wait=wait))
        try:
            yield act
        except BaseException as error:
            act.end(_outcome(error, act.outcome), error={"kind": type(error).__name__, "message": str(error)[:2000]})
            with contextlib.suppress(WindtunnelError):  # what went wrong first is what the caller hears of
                self._write(act, lambda: self._hand_in(act.ended(), wait=wait))
            raise
        self._write(act, lambda: self._hand_in(act.ended(), wait=wait))

    def _hand_in(self, entry: AuditEntry, *, wait: bool) -> None:
        self.sink.append(entry) if wait else self.sink.post(entry)

    def repair(self) -> None:
        """Write down the end of acts whose processes are gone."""
        try:
            self.sink.repair()
        except WindtunnelError:
            if not self.go_on:
                raise

    def note(self, kind: str, outcome: str, *, parent: Act, subject: str = "", **details: object) -> None:
        """Write down a part of an act that has no beginning of its own."""
        entry = AuditEntry(kind=kind, outcome=outcome, actor=self.actor, session=self.session, parent=parent.id,
                           project=parent.entry.project, subject=subject, details=details)
        self._write(Act(entry=entry, begun=0.0), lambda: self.sink.post(entry))

    def _write(self, act: Act, write: Callable[[], object]) -> None:
        if act.unrecorded:
            return
        try:
            write()
        except WindtunnelError as error:
            if not self.go_on:
                raise
            act.unrecorded = str(error)


@dataclass(slots=True, kw_only=True)
class Act:
    """One act under way."""

    entry: AuditEntry
    begun: float
    outcome: str = "done"
    subject: str = ""
    details: dict[str, object] = field(default_factory=dict)
    recorded: bool = True
    """Whether anybody reads its details."""
    decision: Decision | None = None
    """What the policy said; none where there is no policy."""
    approved: bool = False
    """Whether a person said yes to exactly this."""
    purse: Purse | None = None
    """What it may take of the budgets in force; none where there are none."""
    unrecorded: str = ""
    """Why it is not written down; empty where it is."""

    @property
    def id(self) -> str:
        """By which its beginning, its end and its parts are known."""
        return self.entry.id

    @property
    def remarks(self) -> tuple[str, ...]:
        """What its result should say of it: limits that a budget lowered, and why it is not written down."""
        lowered = self.purse.notes if self.purse is not None else ()
        return (*lowered, *((f"not written down: {self.unrecorded}",) if self.unrecorded else ()))

    def end(self, outcome: str, *, subject: str = "", **details: object) -> None:
        """How it ended."""
        self.outcome, self.subject = outcome, subject or self.subject
        self.details |= details

    def ended(self) -> AuditEntry:
        """The entry of its end."""
        seconds = round(time.monotonic() - self.begun, 6)
        return replace(self.entry, outcome=self.outcome, subject=self.subject,
                       details={**self.entry.details, **self.details, "duration": seconds})


def user_name() -> str:
    """Who the operating system says this is."""
    import pwd  # noqa: PLC0415 -- asked once

    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return f"uid {os.geteuid()}"


def _outcome(error: BaseException, so_far: str) -> str:
    if isinstance(error, UsageError):
        return so_far if so_far in ("denied", "waiting") else "refused"
    return "error" if isinstance(error, Exception) else "cancelled"


@contextlib.contextmanager
def unrecorded() -> Iterator[Act]:
    """An act that nobody asked to be written down."""
    yield Act(entry=AuditEntry(kind="", outcome="", actor=""), begun=time.monotonic(), recorded=False)
