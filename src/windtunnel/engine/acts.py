"""Around every act: whether the policy lets it be done, a person's yes where it asks for one, and the record of it."""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from windtunnel.config import Settings
from windtunnel.core.audit import Auditing
from windtunnel.core.errors import ApprovalNeeded, BudgetSpent, IsolationUnavailable, Refused, SandboxFailure
from windtunnel.core.person import check_person
from windtunnel.core.plain import plain
from windtunnel.core.ports import Rig
from windtunnel.engine import particulars
from windtunnel.engine.record import Act, Recorder, unrecorded, user_name

if TYPE_CHECKING:
    from windtunnel.core.deed import Deed
    from windtunnel.core.policy import Decision, Request
    from windtunnel.core.trial import SandboxResult
    from windtunnel.engine.checkpoints import Courier
    from windtunnel.engine.purse import Purse
    from windtunnel.policy.rules import Policy
    from windtunnel.store.allowances import Allowances
    from windtunnel.store.approvals import Approvals
    from windtunnel.store.audit.log import AuditLog

_LASTING = ("apply", "undo", "approve", "deny", "commit", "recover", "image build", "image remove", "history prune",
            "workspace promote", "key create", "key revoke", "key rotate", "key import")
"""Acts that change something outside of us, whose record waits for the disk."""
_LOOK_SECONDS = 0.5
_NO_POLICY = {"effect": "allow", "rule": "no policy"}
"""What the record says where nobody wrote a policy, so that every record says what let it be done."""


class Acts:
    """What one tunnel does, in one session; safe to use from many threads."""

    def __init__(
        self, settings: Settings, *, session: str, approval_seconds: float = 0.0, tell: Callable[[str], None],
        actor: str = "", roles: tuple[str, ...] = (), shared: Acts | None = None,
    ) -> None:
        """``approval_seconds`` is how long to wait for a person; ``tell`` hears what is waited for.

        With ``shared`` the stores are those of another, which closes them; the actor, roles and session are our own.
        """
        self.settings, self.session, self.roles, self._shared = settings, session, roles, shared
        self.actor = actor or settings.actor or user_name()
        check_person(self.actor, field="actor")
        self._approval_seconds, self._tell = approval_seconds, tell
        self._lock = threading.Lock()
        self._recorder: Recorder | None = None
        self._audit: AuditLog | None = None
        self._approvals: Approvals | None = None
        self._allowances: Allowances | None = None
        self._sender: Courier | None = None

    @property
    def audit(self) -> AuditLog:
        """The audit log of this user; made when it is first written to."""
        if self._shared is not None:
            return self._shared.audit
        if self._audit is None:
            from windtunnel.store.audit.opening import open_log  # noqa: PLC0415 -- where it is off, not even loaded

            self._audit = open_log(self.settings.state_dir, self.settings.audit_store)
        return self._audit

    @property
    def approvals(self) -> Approvals:
        """What people were asked, and what they said."""
        if self._shared is not None:
            return self._shared.approvals
        if self._approvals is None:
            from windtunnel.store.approvals import Approvals  # noqa: PLC0415 -- few policies ask

            self._approvals = Approvals(self.settings.state_dir / "approvals.db")
        return self._approvals

    @property
    def allowances(self) -> Allowances:
        """What was spent of the budgets."""
        if self._shared is not None:
            return self._shared.allowances
        if self._allowances is None:
            from windtunnel.store.allowances import Allowances  # noqa: PLC0415 -- few policies have budgets

            self._allowances = Allowances(self.settings.state_dir / "budgets.db")
        return self._allowances

    @contextlib.contextmanager
    def act(
        self, kind: str, inputs: Callable[[], Mapping[str, object]], *, request: Callable[[], Request] | None = None,
        exact: Callable[[], object] | None = None, project: str = "", parent: str = "",
    ) -> Iterator[Act]:
        """Note that it begins, ask whether it may, let it be done, write down how it ended and what it was charged.

        ``exact`` is all of it, to which an approval is bound; without it, the inputs are.
        """
        project = _place(project)
        with self._told_of(kind, self._recorded(kind, inputs, project=project, parent=parent)) as act:
            try:
                if request is not None:
                    self._permit(act, request, inputs, exact=exact or inputs, project=project)
                yield act
            except BudgetSpent as refusal:
                act.end("denied", policy=_told(refusal.decision))
                raise
            finally:
                if act.purse is not None:
                    act.details["charged"] = act.purse.told()

    def ask(
        self, act: Act, request: Request, *, reason: str, exact: Callable[[], object],
        inputs: Callable[[], Mapping[str, object]], project: str = "",
    ) -> None:
        """Go on only with a person's yes to exactly this, though no policy asks for it: the plan itself does.

        Where there is no policy, whoever asks may answer too: nobody said who else there is. A person who was asked by
        the policy about the same is not asked twice.
        """
        if act.approved:
            return
        from windtunnel.core.policy import Decision, Effect  # noqa: PLC0415 -- few plans ask

        project = _place(project)
        policy = act.decision.policy if act.decision is not None else ""
        decision = Decision(effect=Effect.ASK, rule="plan", reason=reason, policy=policy)
        act.end("waiting", asked=reason)
        asked = replace(request, actor=self.actor, project=project)
        self._answered(act, self._policies(project), _Question(asked, decision, exact, inputs))
        act.end("done")

    def spend(self, price: str, *, purpose: str, project: str = "") -> None:
        """Money that is about to be spent, such as ``0.02 USD`` for a model's answer; ``BudgetSpent`` before it is."""
        project, inputs = _place(project), {"money": price, "purpose": purpose[:200]}
        with self._told_of("spend", self._recorded("spend", lambda: inputs, project=project, parent="")) as act:
            found = self._policies(project)
            if not found:
                return
            purse = self._purse(found, project=project, verb="spend")
            try:
                purse.spend(price)
            except BudgetSpent as refusal:
                act.end("denied", policy=_told(refusal.decision))
                raise
            finally:
                act.details["charged"] = purse.told()

    def _recorded(
        self, kind: str, inputs: Callable[[], Mapping[str, object]], *, project: str, parent: str,
    ) -> contextlib.AbstractContextManager[Act]:
        if self.settings.audit is Auditing.OFF:
            return unrecorded()
        return self._ready().act(kind, inputs=particulars.told(inputs), project=project, parent=parent,
                                 wait=kind in _LASTING)

    def _ready(self) -> Recorder:
        """Who writes acts down; of several that share a log, the first one mends what dead processes left in it."""
        if self._shared is not None:
            self._shared._ready()  # noqa: SLF001 -- of the same class
        with self._lock:
            if self._shared is None and self.settings.audit_checkpoints and self._sender is None:
                self._courier()  # a place that is none is refused before anything is done
            if self._recorder is None:
                self._recorder = Recorder(sink=self.audit, actor=self.actor, session=self.session,
                                          go_on=self.settings.audit is Auditing.OPTIONAL)
                if self._shared is None:
                    self._recorder.repair()
            elif self._shared is None and self.settings.audit_checkpoints:
                self._courier().nudge()  # what earlier acts left; the last ones are seen to in the end
            return self._recorder

    @contextlib.contextmanager
    def _told_of(self, kind: str, recorded: contextlib.AbstractContextManager[Act]) -> Iterator[Act]:
        """Around an act and its record: where it goes on without one that is said, however it ends."""
        act = None
        try:
            with recorded as act:
                yield act
        finally:
            if act is not None and act.unrecorded:
                self.say_unwritten(kind, act.unrecorded)

    @contextlib.contextmanager
    def _going_on(self, what: str) -> Iterator[None]:
        """Where the operator chose that acts go on without their record, what fails of it is said, and no more."""
        try:
            yield
        except SandboxFailure as failure:
            if self.settings.audit is not Auditing.OPTIONAL:
                raise
            self.say_unwritten(what, str(failure))

    def say_unwritten(self, what: str, why: str) -> None:
        """Say it to whoever listens."""
        self._tell(f"{what} not written down: {why}")

    def note(self, kind: str, outcome: str, *, parent: Act, subject: str, **details: object) -> None:
        """Write down a part of an act."""
        if self._recorder is not None:
            self._recorder.note(kind, outcome, parent=parent, subject=subject, **details)

    def note_trial(self, act: Act, trial: SandboxResult, *, project: str, remember: Callable[[Deed], None]) -> None:
        """Write down the trial that an act rests on, and remember it among the deeds."""
        from windtunnel.engine.deeds import of_trial  # noqa: PLC0415 -- runs have none

        self.note("trial", str(trial.verdict), parent=act, subject=trial.id, **particulars.of_verdict(trial))
        remember(of_trial(trial, project=str(Path(project).resolve())))

    def kept(self, root: Path, paths: Collection[str]) -> dict[str, object]:
        """Files of a project by their hashes, with their contents kept in the log."""
        if self.settings.audit is Auditing.OFF:
            return {}
        from windtunnel.engine.keeping import looked_at  # noqa: PLC0415 -- runs change no project
        from windtunnel.store.audit.blobs import keep, not_kept  # noqa: PLC0415

        told, contents = looked_at(root, paths)
        with self._going_on("contents"):
            keep(self.audit, contents)
            return told
        return {path: not_kept(hash_) if isinstance(hash_, str) else hash_ for path, hash_ in told.items()}

    def close(self) -> None:
        """Let go of the files; what the settings say of old records is done first, at most once a day."""
        if self._shared is not None:
            return
        with self._going_on("the last acts"):
            self._finish()
        for store in (self._approvals, self._allowances):
            if store is not None:
                store.close()

    def _finish(self) -> None:
        if self._recorder is not None and (self.settings.audit_seal_after or self.settings.audit_retention):
            from windtunnel.engine.audit_keeping import keep_if_due  # noqa: PLC0415 -- few settings ask for it

            keep_if_due(self.audit, self.settings, actor=self.actor, tell=self._tell)
        if self._recorder is not None and self.settings.audit_checkpoints:
            self._courier().nudge()
            self._courier().close()
        if self._audit is not None:
            self._audit.close()

    def _courier(self) -> Courier:
        """Who sends checkpoints elsewhere, as the settings say."""
        if self._sender is None:
            from windtunnel.engine.checkpoints import courier  # noqa: PLC0415 -- few send any

            self._sender = courier(self.settings, self.audit, actor=self.actor, tell=self._tell)
        return self._sender

    # --- permission ---

    def _policies(self, project: str) -> tuple[Policy, ...]:
        # A project that is none is refused by the act itself, with its own words.
        root = Path(project) if project and Path(project).is_dir() else None
        if self.settings.policy is None and root is None:
            return ()
        from windtunnel.engine.permit import policies  # noqa: PLC0415 -- runs without a policy do not load it

        return policies(self.settings, root)

    def _permit(
        self, act: Act, request: Callable[[], Request], inputs: Callable[[], Mapping[str, object]], *,
        exact: Callable[[], object], project: str,
    ) -> None:
        found = self._policies(project)
        if not found:
            act.details["policy"] = _NO_POLICY
            return
        from windtunnel.engine.permit import permit  # noqa: PLC0415

        asked = replace(request(), actor=self.actor, roles=self.roles, project=project)
        purse = self._purse(found, project=project, verb=asked.verb) if any(one.budgets for one in found) else None
        try:
            act.decision = permit(found, asked)
        except ApprovalNeeded as needed:
            if purse is not None:
                purse.look()  # nobody is asked about what could not be paid for
            act.end("waiting", policy=_told(needed.decision))
            act.decision = self._answered(act, found, _Question(asked, needed.decision, exact, inputs))
            act.approved = True
        except Refused as refused:
            act.end("denied", policy=_told(refused.decision))
            raise
        act.end("done", policy=_told(act.decision))
        if purse is not None:
            purse.begin()
            act.purse = purse

    def _purse(self, found: tuple[Policy, ...], *, project: str, verb: str) -> Purse:
        from windtunnel.engine.permit import counted  # noqa: PLC0415 -- few policies have budgets
        from windtunnel.engine.purse import Purse  # noqa: PLC0415

        names = counted(found, actor=self.actor, project=project, session=self.session)
        return Purse(self.allowances, names, answers=verb == "run")

    def _answered(self, act: Act, found: tuple[Policy, ...], question: _Question) -> Decision:
        try:
            return self._approved(found, question)
        except Refused as refused:
            act.end("denied", policy=_told(refused.decision))
            raise

    def _approved(self, found: tuple[Policy, ...], question: _Question) -> Decision:
        """Go on with a person's yes to exactly this; else ask for it, and wait as long as was said."""
        from windtunnel.core.approval import State  # noqa: PLC0415 -- few policies ask
        from windtunnel.core.policy import Effect  # noqa: PLC0415
        from windtunnel.engine.permit import approvals as terms_of  # noqa: PLC0415
        from windtunnel.policy.rules import Approvals as Terms  # noqa: PLC0415

        asked, decision = question.asked, question.decision
        digest = question.digest(self.approvals.secret())
        terms = terms_of(found) if found else Terms(self_approval=True)
        until = time.monotonic() + self._approval_seconds
        put = None
        while True:
            used = self.approvals.use(digest, requester=self.actor, policy=decision.policy)
            if used is not None:
                return replace(decision, effect=Effect.ALLOW, reason=f"approved by {used.decided_by}, {used.id}")
            if put is None:
                put = self.approvals.request(
                    verb=asked.verb, requester=self.actor, digest=digest, summary=_summary(asked), rule=decision.rule,
                    policy=decision.policy, reason=decision.reason, expires_seconds=terms.expires_seconds,
                    project=asked.project, self_approval=terms.self_approval, inputs=question.told())
                self._tell(f"waiting for approval {put.id}: {decision.reason}")
            elif (state := self.approvals.get(put.id).state) in (State.DENIED, State.EXPIRED):
                raise Refused(replace(decision, effect=Effect.DENY, reason=f"approval {put.id} is {state}"))
            if time.monotonic() >= until:
                raise ApprovalNeeded(decision, approval=put.id)
            time.sleep(_LOOK_SECONDS)


class _Question(NamedTuple):
    """What a person is asked."""

    asked: Request
    decision: Decision
    exact: Callable[[], object]
    inputs: Callable[[], Mapping[str, object]]

    def digest(self, key: bytes) -> str:
        """Of all that is to be done: what was approved is this and nothing else."""
        from windtunnel.engine.exact import digest  # noqa: PLC0415 -- few policies ask

        return digest([self.asked, self.exact()], key=key)

    def told(self) -> str:
        """The same for a person to read."""
        return json.dumps({"request": self.asked, "inputs": particulars.told(self.inputs)}, default=plain)


def within(rig: Rig, act: Act) -> Rig:
    """The rig as the act may use it: its policy's walls and ceilings, its programs paid for from its purse.

    A typed error where the walls are too weak.
    """
    if act.purse is not None:
        from windtunnel.engine.purse import Metered  # noqa: PLC0415 -- few policies have budgets

        rig = replace(rig, sandbox=Metered(rig.sandbox, act.purse))
    decision = act.decision
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


def _place(project: str) -> str:
    """One project has one name: a yes to a relative path would be good for whatever is there another time."""
    # What is no path at all is refused by the act itself, with its own words.
    return os.path.realpath(project) if project and "\0" not in project else project


def _told(decision: Decision) -> dict[str, object]:
    return {"effect": str(decision.effect), "rule": decision.rule, "reason": decision.reason, "hash": decision.policy}


def _summary(asked: Request) -> str:
    """One line for the person who decides; what it leaves out, it says."""
    parts = [asked.verb, asked.project, _some(asked.paths, 10), _some(asked.languages, 3), _some(asked.commands, 3)]
    return " · ".join(part for part in parts if part)


def _some(texts: tuple[str, ...], most: int) -> str:
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more
