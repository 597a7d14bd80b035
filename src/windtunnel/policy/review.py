"""What can be said of a policy without a request: the examples kept in it, and rules that never decide."""

from __future__ import annotations

from dataclasses import dataclass

from windtunnel.core.policy import Decision, Effect, Request
from windtunnel.policy.condition import Failed
from windtunnel.policy.decision import decide
from windtunnel.policy.facts import Facts
from windtunnel.policy.rules import Example, Policy, Rule, ordered


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How one of the policy's own examples went."""

    name: str
    line: int
    passed: bool
    expect: Effect
    expect_rule: str
    """Empty where any rule will do."""
    effect: Effect
    rule: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned:
    """A rule that does less than it seems to."""

    rule: str
    line: int
    why: str


def run_tests(policy: Policy) -> tuple[Outcome, ...]:
    """Each example against this policy alone."""
    return tuple(_outcome(example, decide([policy], example.request)) for example in policy.tests)


def _outcome(example: Example, found: Decision) -> Outcome:
    passed = found.effect is example.expect and example.rule in ("", found.rule)
    return Outcome(name=example.name, line=example.line, passed=passed, expect=example.expect,
                   expect_rule=example.rule, effect=found.effect, rule=found.rule)


def warnings(policy: Policy) -> tuple[Warned, ...]:
    """Rules that can never decide, as far as their text shows it."""
    found = []
    rules = ordered(policy.rules)
    for at, rule in enumerate(rules):
        over = next((other for other in rules[:at] if _covers(other, rule)), None)
        if _never(rule):
            found.append(Warned(rule=rule.id, line=rule.line, why="its condition is never true"))
        elif over is not None:
            found.append(Warned(rule=rule.id, line=rule.line, why=f"it never decides: the rule {over.id} comes first "
                                                                  f"({over.effect}) and matches all that it does"))
    return tuple(sorted(found, key=lambda warned: warned.line))


def _never(rule: Rule) -> bool:
    """Whether its condition asks nothing of the request and is false."""
    if rule.when is None or rule.when.fields:
        return False
    try:
        return not rule.when.holds(Facts(Request(verb="run")))
    except Failed:
        return False


def _covers(one: Rule, other: Rule) -> bool:
    """Whether the one matches whatever the other does; only what their texts show, so never said without reason."""
    tools = "*" in one.tools or set(other.tools) <= set(one.tools)
    paths = not one.paths or (bool(other.paths) and set(other.paths) <= set(one.paths))
    # That all paths match the other's globs follows from nothing but the same demand.
    asked = one.strict or not other.strict or not one.paths
    when = one.when is None or (other.when is not None and one.when.source == other.when.source)
    return tools and paths and asked and when
