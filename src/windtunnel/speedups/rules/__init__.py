"""Sorts of slow code that are known here: one file each, and one table of all."""

from __future__ import annotations

from windtunnel.speedups.rule import Rule
from windtunnel.speedups.rules import (
    constant,
    duplicates,
    early,
    joins,
    lists,
    membership,
    memory,
    places,
    queues,
    smallest,
    texts,
)

RULES: tuple[Rule, ...] = (
    duplicates.RULE, membership.RULE, joins.RULE, places.RULE, queues.RULE, texts.RULE, lists.RULE, memory.RULE,
    constant.RULE, smallest.RULE, early.RULE)
