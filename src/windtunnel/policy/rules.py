"""A policy as it is held in memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from windtunnel.core.allowance import Allowance
from windtunnel.core.policy import Effect, Looked, Request
from windtunnel.core.result import Level
from windtunnel.policy.condition import Condition, Failed
from windtunnel.policy.direct import Test
from windtunnel.policy.facts import Facts
from windtunnel.policy.glob import mark, over_all, over_any, over_verbs

_MOST_VERBS = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule; its head is the tools and the paths, its condition comes last."""

    id: str
    effect: Effect
    tools: tuple[str, ...] = ("*",)
    paths: tuple[str, ...] = ()
    """None means whatever is touched; else a request without paths never matches."""
    when: Condition | None = None
    reason: str = ""
    min_isolation: Level | None = None
    caps: Mapping[str, float] = field(default_factory=dict)
    line: int = 0
    """Where it stands in its file."""

    @property
    def strict(self) -> bool:
        """Whether it holds somebody back; then one path is enough to match, and so is a condition that fails."""
        return self.effect is not Effect.ALLOW


class Ready:
    """A rule with all that can be made before a request comes, the rows of the explanation included."""

    __slots__ = ("_condition", "_file", "_paths", "elsewhere", "marks", "matched", "rule", "test", "unseen", "verbs")

    def __init__(self, rule: Rule, file: str) -> None:
        """Compile its globs, which were found good."""
        self.rule, self._file = rule, file
        self.verbs: re.Pattern[str] = over_verbs(rule.tools)
        self._paths = (over_any if rule.strict else over_all)(rule.paths) if rule.paths else None
        self.marks = tuple(map(mark, rule.paths)) if all(map(mark, rule.paths)) else ()
        """Without one of these words in the paths there is no need to look; none where that cannot be said."""
        self._condition = rule.when
        self.test = rule.when.test if rule.when is not None and self._paths is None else None
        """Its whole answer to a usual request whose verb it is for; none where there is more to look at."""
        self.matched = self._row("matched", matched=True)
        self.elsewhere = self._row(f"it is for {', '.join(rule.tools)}"[:120])
        held = "no path matches" if rule.strict else "not every path matches"
        self.unseen = self._row(held if rule.paths else "its condition is false")
        """What there is to say of it when nothing of it matches."""

    def _row(self, why: str, *, matched: bool = False) -> Looked:
        return Looked(rule=self.rule.id, effect=self.rule.effect, matched=matched, why=why, policy=self._file)

    def _false(self) -> Looked:
        return self._row("its condition is false") if self.rule.paths else self.unseen

    def look(self, facts: Facts) -> Looked:
        """Whether it matches a request whose verb it is for, and why not."""
        if self._paths is not None and self._paths.match(facts.paths) is None:
            return self.unseen
        if self._condition is None:
            return self.matched
        try:
            return self.matched if self._condition.holds(facts) else self._false()
        except Failed as failure:
            so = "so it counts as true" if self.rule.strict else "so it counts as false"
            return self._row(f"its condition failed, {so}: {failure}", matched=self.rule.strict)


class Candidates(NamedTuple):
    """What can matter to one verb."""

    rows: list[Looked]
    """For each rule of the policy, why it need not be looked at."""
    rules: list[tuple[int, tuple[str, ...], Test | None, Ready]]
    """Those that are for this one, each with its place, its marks and its test."""
    fields: tuple[str, ...]
    """All that those of their conditions ask for that have no test."""
    all_fields: tuple[str, ...]
    """All that their conditions ask for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Approvals:
    """How a person's yes is to be given."""

    self_approval: bool = False
    """Whether whoever asks may also say yes."""
    expires_seconds: float = 86_400.0

    def stricter(self, other: Approvals) -> Approvals:
        """What both allow."""
        return Approvals(self_approval=self.self_approval and other.self_approval,
                         expires_seconds=min(self.expires_seconds, other.expires_seconds))


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A request with the answer that it must get, kept in the policy itself."""

    name: str
    request: Request
    expect: Effect
    rule: str = ""
    """Which rule must decide; any, when empty."""
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Policy:
    """One policy file, read and compiled. Safe to use from many threads."""

    file: str
    sha256: str
    """Of its text, in hex."""
    default: Effect = Effect.ASK
    min_isolation: Level | None = None
    caps: Mapping[str, float] = field(default_factory=dict)
    rules: tuple[Rule, ...] = ()
    """As they stand in the file."""
    approvals: Approvals = field(default_factory=Approvals)
    budgets: tuple[Allowance, ...] = ()
    tests: tuple[Example, ...] = ()
    most_items: int = 0
    """The longest list of a request on which the conditions are tried; beyond, they fail."""
    ready: tuple[Ready, ...] = ()
    """Those that deny, then those that ask, then those that allow."""
    _verbs: dict[str, Candidates] = field(default_factory=dict, repr=False)

    def for_verb(self, verb: str) -> Candidates:
        """The rules that are for this verb."""
        found = self._verbs.get(verb)
        if found is None:
            rules = [(at, one.marks, one.test, one) for at, one in enumerate(self.ready) if one.verbs.match(verb)]
            rows = [one.unseen if one.verbs.match(verb) else one.elsewhere for one in self.ready]
            untested = (one for _, _, test, one in rules if test is None)
            found = Candidates(rows, rules, _fields(untested), _fields(one for *_, one in rules))
            if len(self._verbs) < _MOST_VERBS:
                self._verbs[verb] = found
        return found


def _fields(rules: Iterable[Ready]) -> tuple[str, ...]:
    return tuple({name for one in rules if one.rule.when for name in one.rule.when.fields})


def ordered(rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """As they are looked at: deny before ask before allow, else as they stand."""
    return tuple(sorted(rules, key=lambda rule: -rule.effect.rank))
