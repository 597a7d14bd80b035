"""Around every act: whether the policy lets it be done, a person's yes where it asks for one, and the record of it."""

from __future__ import annotations

import contextlib
import hashlib
import json
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from windtunnel.config import Settings
from windtunnel.core.audit import Auditing
from windtunnel.core.errors import ApprovalNeeded, IsolationUnavailable, Refused
from windtunnel.core.plain import plain
from windtunnel.core.ports import Rig
from windtunnel.engine import particulars
from windtunnel.engine.record import Act, Recorder, unrecorded, user_name

if TYPE_CHECKING:
    from windtunnel.core.policy import Decision, Request
    from windtunnel.policy.rules import Policy
    from windtunnel.store.approvals import Approvals
    from windtunnel.store.audit.log import AuditLog

_LASTING = ("apply", "undo", "approve", "deny")
"""Acts that change something outside of us, whose record waits for the disk."""
_LOOK_SECONDS = 0.5


class Acts:
    """What one tunnel does, in one session; safe to use from many threads."""

    def __init__(
        self, settings: Settings, *, session: str, approval_seconds: float = 0.0, tell: Callable[[str], None],
    ) -> None:
        """``approval_seconds`` is how long to wait for a person; ``tell`` hears what is waited for."""
        self.settings, self.session = settings, session
        self.actor = settings.actor or user_name()
        self._approval_seconds, self._tell = approval_seconds, tell
        self._lock = threading.Lock()
        self._recorder: Recorder | None = None
        self._audit: AuditLog | None = None
        self._approvals: Approvals | None = None

    @property
    def audit(self) -> AuditLog:
        """The audit log of this user; made when it is first written to."""
        if self._audit is None:
            from windtunnel.store.audit.log import AuditLog  # noqa: PLC0415 -- where it is switched off, not even loaded

            self._audit = AuditLog(self.settings.state_dir / "audit.db")
        return self._audit

    @property
    def approvals(self) -> Approvals:
        """What people were asked, and what they said."""
        if self._approvals is None:
            from windtunnel.store.approvals import Approvals  # noqa: PLC0415 -- few policies ask

            self._approvals = Approvals(self.settings.state_dir / "approvals.db")
        return self._approvals

    @contextlib.contextmanager
    def act(
        self, kind: str, inputs: Callable[[], Mapping[str, object]], *, request: Callable[[], Request] | None = None,
        project: str = "", parent: str = "",
    ) -> Iterator[Act]:
        """Note that it begins, ask whether it may, let it be done, write down how it ended."""
        with self._recorded(kind, inputs, project=project, parent=parent) as act:
            if request is not None:
                self._permit(act, request, inputs, project=project)
            yield act

    def _recorded(
        self, kind: str, inputs: Callable[[], Mapping[str, object]], *, project: str, parent: str,
    ) -> contextlib.AbstractContextManager[Act]:
        if self.settings.audit is Auditing.OFF:
            return unrecorded()
        with self._lock:
            if self._recorder is None:
                self._recorder = Recorder(sink=self.audit, actor=self.actor, session=self.session,
                                          go_on=self.settings.audit is Auditing.OPTIONAL)
                self._recorder.repair()
        return self._recorder.act(kind, inputs=particulars.told(inputs), project=project, parent=parent,
                                  wait=kind in _LASTING)

    def note(self, kind: str, outcome: str, *, parent: Act, subject: str, **details: object) -> None:
        """Write down a part of an act."""
        if self._recorder is not None:
            self._recorder.note(kind, outcome, parent=parent.id, subject=subject, **details)

    def kept(self, root: Path, paths: Collection[str]) -> dict[str, object]:
        """Files of a project by their hashes, with their contents kept in the log."""
        if self.settings.audit is Auditing.OFF:
            return {}
        from windtunnel.engine.keeping import kept  # noqa: PLC0415 -- runs change no project

        return kept(self.audit, root, paths)

    def close(self) -> None:
        """Let go of the files."""
        for store in (self._audit, self._approvals):
            if store is not None:
                store.close()

    # --- permission ---

    def _permit(
        self, act: Act, request: Callable[[], Request], inputs: Callable[[], Mapping[str, object]], *, project: str,
    ) -> None:
        # A project that is none is refused by the act itself, with its own words.
        root = Path(project) if project and Path(project).is_dir() else None
        if self.settings.policy is None and root is None:
            return
        from windtunnel.engine.permit import permit, policies  # noqa: PLC0415 -- runs without a policy do not load it

        found = policies(self.settings, root)
        if not found:
            return
        asked = replace(request(), actor=self.actor, project=project)
        try:
            act.decision = permit(found, asked)
        except ApprovalNeeded as needed:
            act.end("waiting", policy=_told(needed.decision))
            act.decision = self._approved(found, asked, needed, particulars.told(inputs))
        except Refused as refused:
            act.end("denied", policy=_told(refused.decision))
            raise
        act.end("done", policy=_told(act.decision))

    def _approved(
        self, found: tuple[Policy, ...], asked: Request, needed: ApprovalNeeded, inputs: Mapping[str, object],
    ) -> Decision:
        """Go on with a person's yes to exactly this; else ask for it, and wait as long as was said."""
        from windtunnel.core.approval import State  # noqa: PLC0415 -- few policies ask
        from windtunnel.core.policy import Effect  # noqa: PLC0415
        from windtunnel.engine.permit import approvals as terms_of  # noqa: PLC0415

        decision, digest = needed.decision, _digest(asked, inputs)
        terms, until = terms_of(found), time.monotonic() + self._approval_seconds
        question = None
        while True:
            used = self.approvals.use(digest, requester=self.actor, policy=decision.policy)
            if used is not None:
                return replace(decision, effect=Effect.ALLOW, reason=f"approved by {used.decided_by}, {used.id}")
            if question is None:
                question = self.approvals.request(
                    verb=asked.verb, requester=self.actor, digest=digest, summary=_summary(asked), rule=decision.rule,
                    policy=decision.policy, reason=decision.reason, expires_seconds=terms.expires_seconds,
                    project=asked.project, self_approval=terms.self_approval)
                self._tell(f"waiting for approval {question.id}: {decision.reason}")
            elif (state := self.approvals.get(question.id).state) in (State.DENIED, State.EXPIRED):
                raise Refused(replace(decision, effect=Effect.DENY, reason=f"approval {question.id} is {state}"))
            if time.monotonic() >= until:
                raise ApprovalNeeded(decision, approval=question.id)
            time.sleep(_LOOK_SECONDS)


def within(rig: Rig, decision: Decision | None) -> Rig:
    """The rig as the decision lets it be used; a typed error where its walls are too weak for it."""
    if decision is None:
        return rig
    least = decision.min_isolation
    if least is not None and not rig.sandbox.level.at_least(least):
        raise IsolationUnavailable(f"the policy asks for at least the {least} level here, and this is the "
                                   f"{rig.sandbox.level} level (use --level {least}, or level={str(least)!r})")
    if not decision.caps:
        return rig
    return replace(rig, caps=decision.lowered(rig.caps), default_limits=decision.lowered(rig.default_limits),
                   trial_seconds=min(rig.trial_seconds, decision.caps.get("wall_seconds", rig.trial_seconds)))


def _told(decision: Decision) -> dict[str, object]:
    return {"effect": str(decision.effect), "rule": decision.rule, "reason": decision.reason, "hash": decision.policy}


def _digest(asked: Request, inputs: Mapping[str, object]) -> str:
    """Of all that is to be done: what was approved is this and nothing else."""
    return hashlib.sha256(json.dumps([asked, inputs], default=plain, sort_keys=True).encode()).hexdigest()


def _summary(asked: Request) -> str:
    """One line for the person who decides."""
    parts = [asked.verb, asked.project, ", ".join(asked.paths[:10]), "; ".join(asked.commands[:3])]
    return " · ".join(part for part in parts if part)
