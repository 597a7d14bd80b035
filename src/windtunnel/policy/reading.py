"""A policy from its text; anything unknown, mistyped or out of range is refused with file, line and column."""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Callable
from dataclasses import replace

from windtunnel.core.policy import Effect
from windtunnel.core.result import Level
from windtunnel.policy import table
from windtunnel.policy.asking import request_from
from windtunnel.policy.budgets import read_budgets
from windtunnel.policy.condition import BUDGET, Condition, compile_condition, most_items
from windtunnel.policy.glob import BadGlob, check_path, check_verb
from windtunnel.policy.rules import Approvals, Example, Policy, Ready, Rule, ordered
from windtunnel.policy.table import Table
from windtunnel.policy.tree import Node, read_yaml, shown
from windtunnel.policy.words import BadCondition

_VERSION = 1
_MOST_RULES, _MOST_TESTS, _MOST_GLOBS, _MOST_LETTERS = 500, 1000, 100, 65_536
_KNOWN = ("version", "default", "min_isolation", "caps", "rules", "budgets", "approvals", "tests")
_RULE = ("id", "effect", "tool", "paths", "when", "reason", "min_isolation", "caps")
_RESERVED = re.compile(r"default|min_isolation|(?:caps|budgets)\..*")
_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


def read_policy(content: bytes, *, file: str) -> Policy:
    """The policy that a file's content is."""
    found = Table(read_yaml(content, file=file), "", known=_KNOWN)
    if found.must("version", table.whole) != _VERSION:
        raise found.place("version").refusal(f"version: not {_VERSION}, the only one there is")
    rules: tuple[Rule, ...] = found.read("rules", _rules, ())
    most = most_items(rule.when for rule in rules if rule.when)
    made = Policy(
        file=file, sha256=hashlib.sha256(content).hexdigest(), default=found.read("default", _effect, Effect.ASK),
        min_isolation=found.read("min_isolation", _level, None), caps=found.read("caps", table.limits, {}),
        rules=rules, approvals=found.read("approvals", _approvals, Approvals()),
        budgets=found.read("budgets", functools.partial(read_budgets, content=content), ()),
        most_items=most, ready=tuple(Ready(rule, file) for rule in ordered(rules)))
    return replace(made, tests=found.read("tests", _examples(made), ()))


def _effect(node: Node, name: str) -> Effect:
    return table.one_of(Effect)(node, name)


def _level(node: Node, name: str) -> Level | None:
    return table.one_of(Level)(node, name)


def _rules(node: Node, name: str) -> tuple[Rule, ...]:
    made: dict[str, Rule] = {}
    left, letters = BUDGET, 0
    for item, here in table.items(node, name, most=_MOST_RULES):
        found = Table(item, here, known=_RULE)
        rule = _rule(found, left=left)
        left -= sum(rule.when.steps) if rule.when else 0
        letters += sum(map(len, (*rule.tools, *rule.paths)))
        if letters > _MOST_LETTERS:
            raise item.refusal(f"{here}: the globs of the rules up to here have more than {_MOST_LETTERS} letters")
        if rule.id in made:
            raise found.place("id").refusal(f"{here}.id: {rule.id} is there twice (first on line {made[rule.id].line})")
        made[rule.id] = rule
    return tuple(made.values())


def _rule(found: Table, *, left: int) -> Rule:
    return Rule(
        id=found.must("id", _id), effect=found.must("effect", _effect),
        tools=found.read("tool", _globs(check_verb), ("*",)), paths=found.read("paths", _globs(check_path), ()),
        when=found.read("when", _condition(left), None), reason=found.read("reason", table.line, ""),
        min_isolation=found.read("min_isolation", _level, None), caps=found.read("caps", table.limits, {}),
        line=found.place("id").line)


def _id(node: Node, name: str) -> str:
    if not isinstance(node.value, str) or not _ID.fullmatch(node.value) or _RESERVED.fullmatch(node.value):
        raise node.refusal(f"{name}: not an id of a rule: {shown(node.value)} (small letters, digits, . _ and -; not "
                           "default, min_isolation, caps.NAME or budgets.NAME)")
    return node.value


def _globs(check: Callable[[str], None]) -> Callable[[Node, str], tuple[str, ...]]:
    def read(node: Node, name: str) -> tuple[str, ...]:
        alone = isinstance(node.value, str)
        given = [(node, name)] if alone else list(table.items(node, name, most=_MOST_GLOBS))
        if not given:
            raise node.refusal(f"{name}: an empty list matches nothing (leave the key out to match everything)")
        for item, here in given:
            try:
                check(table.text(item, here))
            except BadGlob as error:
                raise item.refusal(f"{here}: {shown(item.value)}: {error}") from error
        return tuple(str(item.value) for item, _ in given)

    return read


def _condition(left: int) -> Callable[[Node, str], Condition | None]:
    def read(node: Node, name: str) -> Condition:
        if isinstance(node.value, bool):
            # YAML reads a bare true as a switch, and as a condition it says just that.
            node = replace(node, value=str(node.value).lower())
        try:
            return compile_condition(table.text(node, name), left=left)
        except BadCondition as error:
            raise node.refusal(f"{name}: {error}") from error

    return read


def _approvals(node: Node, name: str) -> Approvals:
    found = Table(node, name, known=("self_approval", "expires"))
    return Approvals(self_approval=found.read("self_approval", table.switch, default=False),
                     expires_seconds=found.read("expires", table.seconds, Approvals().expires_seconds))


def _examples(policy: Policy) -> Callable[[Node, str], tuple[Example, ...]]:
    known = {rule.id for rule in policy.rules}

    def read(node: Node, name: str) -> tuple[Example, ...]:
        made = []
        for item, here in table.items(node, name, most=_MOST_TESTS):
            found = Table(item, here, known=("name", "request", "expect", "rule"))
            example = Example(
                name=found.must("name", table.line), request=found.must("request", request_from),
                expect=found.must("expect", _effect), rule=found.read("rule", table.line, ""), line=item.line)
            if example.rule and example.rule not in known and not _RESERVED.fullmatch(example.rule):
                raise found.place("rule").refusal(f"{here}.rule: there is no rule {shown(example.rule)}")
            made.append(example)
        return tuple(made)

    return read
