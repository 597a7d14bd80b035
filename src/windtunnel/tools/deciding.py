"""Rows about permission: what the policy says, what waits for a person, and a person's word."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from windtunnel.core.approval import Approval, State
from windtunnel.core.errors import NotFound, UsageError
from windtunnel.core.person import looks
from windtunnel.tools.row import Context, Given, OnProject, Told, Tool

_DECIDES = "approve"


class CheckPolicy(Given):
    """A request that nobody makes yet."""

    verb: str = Field(max_length=64, description="run, try, apply, undo … or the name of a tool.")
    project: str = Field(default="", max_length=4096)
    paths: list[str] = Field(default_factory=list, max_length=1000)
    languages: list[str] = Field(default_factory=list, max_length=50)
    commands: list[str] = Field(default_factory=list, max_length=100)
    change_lines: int = Field(default=0, ge=0)


class Decided(Told):
    """What the policy says."""

    effect: str
    rule: str
    caps: dict[str, float]


class ListApprovals(Given):
    """Which."""

    waiting: bool = Field(default=True, description="Only those that still wait.")


class Question(BaseModel):
    """One question to people."""

    id: str
    state: str
    verb: str
    requester: str
    summary: str
    why: str
    expires: str
    decided_by: str


class Questions(Told):
    """Newest first."""

    approvals: list[Question]


class Decide(Given):
    """Which, and why."""

    id: str = Field(min_length=6, max_length=64, description="Of the approval.")
    note: str = Field(default="", max_length=2000, description="Why; it is kept.")


class Answered(Told):
    """As it is now."""

    approval: Question


def _check(context: Context, given: CheckPolicy) -> Decided:
    from windtunnel.core.policy import NO_POLICY, Request  # noqa: PLC0415 -- where nobody asks, not loaded
    from windtunnel.engine.permit import policies  # noqa: PLC0415
    from windtunnel.policy.decision import decide  # noqa: PLC0415

    named = OnProject(project=given.project)
    project = context.project(named) if given.project else None
    found = policies((context.within(project) if project else context.tunnel).settings, project)
    asked = Request(verb=given.verb, actor=context.caller.user, roles=context.caller.roles,
                    project=str(project or ""), paths=tuple(given.paths), languages=tuple(given.languages),
                    commands=tuple(given.commands), change_files=len(given.paths), change_lines=given.change_lines)
    decision = decide(found, asked) if found else NO_POLICY
    return Decided(reason=f"{decision.effect}: {decision.reason}"[:1000], effect=str(decision.effect),
                   rule=decision.rule, caps=dict(decision.caps))


def _list(context: Context, given: ListApprovals) -> Questions:
    every = context.caller.may(_DECIDES)
    found = [one for one in context.tunnel.approvals.all(State.REQUESTED if given.waiting else None)
             if every or looks(one.requester) == looks(context.caller.user)][:100]
    return Questions(reason=f"{len(found)} questions{' wait for a person' if given.waiting else ''}.",
                     next="approve or deny takes the id of one." if every and found else "",
                     approvals=[_question(one) for one in found])


def _question(one: Approval) -> Question:
    return Question(id=one.id, state=str(one.state), verb=one.verb, requester=one.requester, summary=one.summary[:500],
                    why=one.reason[:500], expires=one.expires, decided_by=one.decided_by)


def _decide(context: Context, given: Decide, *, approve: bool) -> Answered:
    try:
        asked = context.tunnel.approvals.get(given.id)
    except UsageError:
        raise NotFound(f"id: no approval {given.id[:64]!r} (see list_approvals)", field="id") from None
    check_other(context, asked)
    decided = context.tunnel.decide(given.id, approve=approve, note=given.note)
    word = "approved; whoever asked may call again" if approve else "denied"
    return Answered(reason=f"{decided.id} is {word}.", approval=_question(decided))


def check_other(context: Context, asked: Approval) -> None:
    """Refuse a word on one's own question: by a tool, that may be the same agent who asked it."""
    if looks(asked.requester) == looks(context.caller.user):
        raise UsageError(f"id: {asked.id} was asked by you, and somebody else has to decide (or you yourself, by "
                         "windtunnel approvals, where the policy lets you)", field="id")


def _approve(context: Context, given: Any) -> Answered:  # noqa: ANN401 -- Decide
    return _decide(context, given, approve=True)


def _deny(context: Context, given: Any) -> Answered:  # noqa: ANN401 -- Decide
    return _decide(context, given, approve=False)


ROWS = (
    Tool(name="check_policy", title="Ask the policy", permission="", given=CheckPolicy, told=Decided, act=_check,
         read_only=True, idempotent=True,
         description="What the policy would say if you asked for this: allow, ask a person, or deny, and by which "
         "rule. Use it before work that may be refused."),
    Tool(name="list_approvals", title="What waits for a person", permission="", given=ListApprovals, told=Questions,
         act=_list, read_only=True, idempotent=True,
         description="Questions that a policy put to people: your own, or all of them with the permission approve."),
    Tool(name="approve", title="Approve", permission=_DECIDES, given=Decide, told=Answered, act=_approve,
         description="Let be done, once, exactly what was asked. Only for people, or on their word; nobody approves "
         "what they asked for themselves."),
    Tool(name="deny", title="Deny", permission=_DECIDES, given=Decide, told=Answered, act=_deny,
         description="Do not let it be done."),
)
