r"""Rules of the user's own, out of a file: when a message says this, change that.

A file is YAML: a list of rules, each with ``name``, ``message`` (a regular expression that the problem's message has to
hold), ``find`` (one that a line has to hold, near the problem first), ``replace`` (what its match becomes; ``\1`` is
its first group, ``{name}`` a named group of the message) and, if wanted, ``reason`` and ``confidence`` from 0 to 1.
What holds: rules are data, nothing of them is run as a program; a rule that is wrong is refused with its number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from windtunnel.core.errors import UsageError
from windtunnel.core.problem import Place, Problem
from windtunnel.core.repair import FileEdit, Proposal, Scene

_TEXTS = ("name", "message", "find", "replace", "reason")
_NEEDED = frozenset(_TEXTS[:4])
_MOST_RULES = 1000
_MOST_TEXT = 2000
_MOST_LINE = 1000
"""Longer lines are not searched: a pattern that goes back and forth takes its time with each of their characters."""
_FAR = 10**6


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenRule:
    """One rule of a file."""

    name: str
    message: re.Pattern[str]
    find: re.Pattern[str]
    replace: str
    reason: str = ""
    confidence: float = 0.5


def read_rules(text: str, *, file: str) -> tuple[GivenRule, ...]:
    """The rules of a file; a typed error names the first that cannot be used."""
    import yaml  # noqa: PLC0415 -- few have rules of their own

    try:
        told = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise UsageError(f"{file}: not YAML: {error}", field="rules") from error
    if not isinstance(told, list) or len(told) > _MOST_RULES:
        raise UsageError(f"{file}: a list of at most {_MOST_RULES} rules is expected", field="rules")
    return tuple(_rule(one, f"{file}: rule {number}") for number, one in enumerate(told, start=1))


def _rule(told: object, where: str) -> GivenRule:
    if not isinstance(told, Mapping):
        raise UsageError(f"{where}: not a mapping", field="rules")
    unknown = sorted(str(key) for key in told if key not in {*_TEXTS, "confidence"})
    missing = sorted(_NEEDED - set(told))
    if unknown or missing:
        what = f"unknown keys: {', '.join(unknown)}" if unknown else f"missing: {', '.join(missing)}"
        raise UsageError(f"{where}: {what}", field="rules")
    texts = {key: told[key] for key in _TEXTS if key in told}
    if not all(isinstance(value, str) and len(value) <= _MOST_TEXT for value in texts.values()):
        raise UsageError(f"{where}: all but confidence are texts of at most {_MOST_TEXT} characters", field="rules")
    confidence = told.get("confidence", 0.5)
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 <= confidence <= 1:
        raise UsageError(f"{where}: confidence is a number from 0 to 1", field="rules")
    return _compiled(cast("dict[str, str]", texts), float(confidence), where)


def _compiled(texts: Mapping[str, str], confidence: float, where: str) -> GivenRule:
    try:
        message, find = re.compile(texts["message"]), re.compile(texts["find"])
        if not _fills(texts["replace"], message.groupindex):
            raise UsageError(f"{where}: replace names a group that message does not have", field="rules")
    except re.error as error:
        raise UsageError(f"{where}: not a regular expression: {error}", field="rules") from error
    return GivenRule(name=texts["name"], message=message, find=find, replace=texts["replace"],
                     reason=texts.get("reason", ""), confidence=confidence)


def _fills(replace: str, groups: Mapping[str, int]) -> bool:
    return all(name in groups for name in re.findall(r"\{(\w+)\}", replace))


def propose(rules: Sequence[GivenRule], scene: Scene) -> Iterator[Proposal]:
    """What the rules say of each problem, the surest rule first and the nearest line first."""
    for rule in sorted(rules, key=lambda one: -one.confidence):
        for problem in scene.problems:
            found = rule.message.search(problem.message[:_MOST_TEXT])
            if found is not None:
                yield from _lines(rule, scene, problem, {
                    name: value or "" for name, value in found.groupdict().items()})


def _lines(rule: GivenRule, scene: Scene, problem: Problem, groups: Mapping[str, str]) -> Iterator[Proposal]:
    near = problem.place
    for path in sorted(scene.paths, key=lambda one: near is None or one != near.file):
        text = scene.read(path)
        if text is None:
            continue
        lines = text.splitlines(keepends=True)
        wanted = near.line or 1 if near is not None and near.file == path else -_FAR
        for _, number in sorted((abs(at + 1 - wanted), at) for at in range(len(lines))):
            changed = _changed(rule, lines[number], groups)
            if changed is not None:
                made = "".join([*lines[:number], changed, *lines[number + 1:]])
                yield Proposal(edits=(FileEdit(path=path, text=made),), origin="user", name=rule.name,
                               reason=rule.reason or f"your rule {rule.name}", prior=rule.confidence,
                               place=Place(file=path, line=number + 1))


def _changed(rule: GivenRule, line: str, groups: Mapping[str, str]) -> str | None:
    """The line with the first match replaced; None where there is none, or nothing changes."""
    found = rule.find.search(line) if len(line) <= _MOST_LINE else None
    if found is None:
        return None
    template = re.sub(r"\{(\w+)\}", lambda one: groups[one[1]].replace("\\", "\\\\"), rule.replace)
    try:
        made = line[:found.start()] + found.expand(template) + line[found.end():]
    except (re.error, IndexError):
        return None
    return None if made == line else made
