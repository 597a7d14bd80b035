"""The decision on one request.

Deny comes before ask and ask before allow, whatever their order in the file; where no rule matches, the default holds.
The least walls and the ceilings are those of the policy and of every rule that matches, the strictest of each. Of
several policies the stricter answer counts, so that adding one never allows more.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from windtunnel.core.limits import said
from windtunnel.core.policy import NO_POLICY, Decision, Effect, Looked, Request, asked, over
from windtunnel.core.result import Level
from windtunnel.policy.direct import Test, Unsure
from windtunnel.policy.facts import Facts
from windtunnel.policy.rules import Policy, Ready


class _Answer(NamedTuple):
    """What one policy says."""

    effect: Effect
    rule: str
    reason: str
    min_isolation: Level | None
    caps: Mapping[str, float]
    rows: list[Looked]


def decide(policies: Sequence[Policy], request: Request) -> Decision:
    """What they all say together; without any, everything is allowed."""
    if not policies:
        return NO_POLICY
    facts = Facts(request)
    answers = [_answer(policy, facts) for policy in policies]
    best = answers[0] if len(answers) == 1 else max(answers, key=lambda answer: answer.effect.rank)
    floor, caps, rows = best.min_isolation, best.caps, best.rows
    if len(answers) > 1:
        rows = [row for answer in answers for row in answer.rows]
        for answer in answers:
            floor, caps = _higher(floor, answer.min_isolation), _lower(caps, answer.caps)
    breach = _breach(request, floor, caps) if best.effect is not Effect.DENY else None
    effect, rule, reason = breach or best[:3]
    return Decision(effect=effect, rule=rule, reason=reason, policy=_digest(policies), min_isolation=floor, caps=caps,
                    explanation=tuple(rows))


def _answer(policy: Policy, facts: Facts) -> _Answer:
    best = None
    floor, caps = policy.min_isolation, policy.caps
    unseen, candidates, some, all_ = policy.for_verb(facts.request.verb)
    facts.most_items = policy.most_items
    usual = facts.usual and facts.size <= policy.most_items
    fields = some if usual else all_
    if fields and facts.size <= policy.most_items:
        # Those that use a field which cannot be turned over fail one by one, below.
        with contextlib.suppress(ValueError):
            facts.give(fields)
    rows = unseen.copy()
    for at, ready in _possible(candidates, facts, usual=usual):
        row = rows[at] = ready.look(facts)
        if not row.matched:
            continue
        rule = ready.rule
        floor, caps = _higher(floor, rule.min_isolation), _lower(caps, rule.caps)
        best = best or rule
        if rule.effect is Effect.DENY:
            del rows[at + 1 :]
            break
    if best is None:
        return _Answer(policy.default, "default", f"no rule matches, and the default is {policy.default}", floor, caps,
                       rows)
    return _Answer(best.effect, best.id, best.reason or f"the rule {best.id} says {best.effect}", floor, caps, rows)


def _possible(
    candidates: Iterable[tuple[int, tuple[str, ...], Test | None, Ready]], facts: Facts, *, usual: bool,
) -> Iterator[tuple[int, Ready]]:
    """Those that may match; most do not, and for most of them that is seen at once."""
    paths, request = facts.paths, facts.request
    for at, marks, test, ready in candidates:
        if marks:
            # Few rules are about the files of a request, and a word is sooner looked for than a pattern.
            for word in marks:
                if word in paths:
                    break
            else:
                continue
        elif test is not None and usual:
            try:
                if not test(request, None):
                    continue
            except Unsure:
                pass  # the engine of conditions knows
        yield at, ready


def _breach(request: Request, floor: Level | None, caps: Mapping[str, float]) -> tuple[Effect, str, str] | None:
    """What the request itself asks for beyond the least walls and the ceilings."""
    if floor is not None and request.level is not None and not request.level.at_least(floor):
        return Effect.DENY, "min_isolation", f"the {request.level} level is below the {floor} level that is wanted here"
    name = over(request.limits, caps) if caps and request.limits is not None else None
    if name is not None and request.limits is not None:
        return (Effect.DENY, f"caps.{name}",
                f"{name}: {said(name, asked(request.limits, name))} is over the ceiling of {said(name, caps[name])}")
    return None


def _higher(one: Level | None, other: Level | None) -> Level | None:
    if one is None or other is None:
        return one or other
    return one if one.at_least(other) else other


def _lower(one: Mapping[str, float], other: Mapping[str, float]) -> Mapping[str, float]:
    if not one or not other or one is other:
        return one or other
    return {**one, **{name: min(most, one.get(name, most)) for name, most in other.items()}}


def _digest(policies: Sequence[Policy]) -> str:
    if len(policies) == 1:
        return policies[0].sha256
    return hashlib.sha256("".join(f"{policy.sha256}\n" for policy in policies).encode()).hexdigest()
