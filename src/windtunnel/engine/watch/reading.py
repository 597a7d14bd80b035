"""The file of rules: which are in force with what bounds, and where alerts go.

Anything unknown, mistyped or out of range is refused with file, line and column.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from windtunnel.core.alert import Severity
from windtunnel.core.errors import UsageError
from windtunnel.engine.watch.destination import Destination
from windtunnel.engine.watch.destinations import read_destination
from windtunnel.engine.watch.rule import Rule
from windtunnel.engine.watch.table import BY_ID, RULES
from windtunnel.engine.watch.watcher import Active
from windtunnel.policy import table
from windtunnel.policy.table import Table
from windtunnel.policy.tree import Node, read_yaml, shown

FIELD = "audit_watch"
_VERSION = 1
_FORM = 1
"""Of what watchers remember; another one makes them begin anew."""
_COMMON = ("severity", "again")
_MOST_DESTINATIONS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Watching:
    """What one file of rules says."""

    active: tuple[Active, ...]
    destinations: tuple[Destination, ...] = ()

    @property
    def digest(self) -> str:
        """Of all that decides which alerts there are; destinations do not."""
        said = [[one.rule.id, one.severity, one.again, sorted(one.options.items())] for one in self.active]
        return hashlib.sha256(json.dumps([_FORM, said]).encode()).hexdigest()


def usual() -> Watching:
    """What holds without a file: the rules that need no choice of anybody, told to nobody else."""
    return Watching(active=tuple(Active(rule=rule, options=rule.defaults) for rule in RULES if rule.on))


def read_rules(content: bytes, *, file: str) -> Watching:
    """What a file's content says."""
    try:
        return _read(read_yaml(content, file=file))
    except UsageError as error:
        raise UsageError(str(error), field=FIELD) from error


def _read(root: Node) -> Watching:
    if not isinstance(root.value, dict):
        raise root.refusal(f"not a table of rules: {shown(root.value)} (try version: 1)")
    found = Table(root, "", known=("version", "rules", "destinations"))
    if found.must("version", table.whole) != _VERSION:
        raise found.place("version").refusal(f"version: not {_VERSION}, the only one there is")
    return Watching(active=found.read("rules", _rules, usual().active),
                    destinations=found.read("destinations", _destinations, ()))


def _rules(node: Node, name: str) -> tuple[Active, ...]:
    found = Table(node, name, known=BY_ID)
    made = [found.read(rule.id, _rule(rule), _default(rule)) for rule in RULES]
    return tuple(one for one in made if one is not None)


def _default(rule: Rule) -> Active | None:
    return Active(rule=rule, options=rule.defaults) if rule.on else None


def _rule(rule: Rule) -> Callable[[Node, str], Active | None]:
    def read(node: Node, name: str) -> Active | None:
        if isinstance(node.value, bool):
            return Active(rule=rule, options=rule.defaults) if node.value else None
        found = Table(node, name, known=(*rule.options, *_COMMON))
        options: dict[str, Any] = {
            key: found.read(key, option.kind, option.default) for key, option in rule.options.items()}
        return Active(rule=rule, options=options, severity=found.read("severity", _severity, None),
                      again=found.read("again", _again, None))

    return read


def _severity(node: Node, name: str) -> Severity | None:
    return table.one_of(Severity)(node, name)


def _again(node: Node, name: str) -> float | None:
    return 0.0 if node.value == 0 and not isinstance(node.value, bool) else table.seconds(node, name)


def _destinations(node: Node, name: str) -> tuple[Destination, ...]:
    made: dict[str, Destination] = {}
    for item, here in table.items(node, name, most=_MOST_DESTINATIONS):
        one = read_destination(item, here)
        if one.name in made:
            raise item.refusal(f"{here}.name: {shown(one.name)} is there twice")
        made[one.name] = one
    return tuple(made.values())
