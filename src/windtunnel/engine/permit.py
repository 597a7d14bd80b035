"""Whether a request may go on: the policies in force, and the errors that stop it."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from windtunnel import trust
from windtunnel.config import Settings
from windtunnel.core.errors import ApprovalNeeded, Refused, UsageError
from windtunnel.core.policy import NO_POLICY, Decision, Effect, Request

if TYPE_CHECKING:
    from windtunnel.core.allowance import Counted
    from windtunnel.policy.rules import Approvals, Policy

PROJECT_POLICY = ".windtunnel/policy.yaml"


def policies(settings: Settings, project: Path | None = None) -> tuple[Policy, ...]:
    """Those in force: the one that is set, then the project's own, which can only tighten it.

    One that is named and not there is an error, as is one that is broken; a project without one has none.
    """
    found = []
    if settings.policy is not None:
        found.append((str(settings.policy), trust.read(settings.policy, field="policy"), True))
    if project is not None:
        name = settings.project_policy or PROJECT_POLICY
        content = trust.read_beneath(project, name, field="policy")
        found.append((str(project / name), content, settings.project_policy is not None))
    return tuple(_read(content, file) for file, content, named in found if _there(content, file, named=named))


def approvals(policies: Sequence[Policy]) -> Approvals:
    """How a person's yes is to be given: what all of them allow."""
    from windtunnel.policy.rules import Approvals  # noqa: PLC0415

    return functools.reduce(Approvals.stricter, [policy.approvals for policy in policies] or [Approvals()])


def counted(policies: Sequence[Policy], *, actor: str, project: str, session: str) -> tuple[Counted, ...]:
    """The budgets of all of them that count for one act; those of projects only where it has one."""
    from windtunnel.core.allowance import Counted, Scope  # noqa: PLC0415 -- few policies have budgets

    names = {Scope.TOTAL: "", Scope.ACTOR: actor, Scope.PROJECT: project, Scope.SESSION: session}
    return tuple(Counted(allowance=budget, name=names[budget.scope]) for policy in policies for budget in policy.budgets
                 if budget.scope is not Scope.PROJECT or project)


def permit(policies: Sequence[Policy], request: Request) -> Decision:
    """The decision that lets it go on; ``Refused`` where it is denied, ``ApprovalNeeded`` where a person must agree."""
    if not policies:
        return NO_POLICY
    from windtunnel.policy.decision import decide  # noqa: PLC0415 -- who has no policy does not load it

    decision = decide(policies, request)
    if decision.effect is Effect.DENY:
        raise Refused(decision)
    if decision.effect is Effect.ASK:
        raise ApprovalNeeded(decision)
    return decision


def _there(content: bytes | None, file: str, *, named: bool) -> bool:
    if content is None and named:
        raise UsageError(f"{file}: there is no such policy (the configuration names it)", field="policy")
    return content is not None


@functools.lru_cache(maxsize=8)
def _read(content: bytes | None, file: str) -> Policy:
    """Compiled once for the same text: the file is read for every act, so that a change of it counts at once."""
    from windtunnel.policy.reading import read_policy  # noqa: PLC0415

    return read_policy(content or b"", file=file)
