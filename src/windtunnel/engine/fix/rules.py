"""Every rule and sort of edit that sources know, from the tables that they carry themselves."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from functools import cache

from windtunnel.core.repair import Origin, Rule

_HOMES: tuple[tuple[str, str, Origin], ...] = (
    ("rules", "RULES", "rule"), ("syntax", "RULES", "syntax"), ("search", "KINDS", "search"),
    ("tools", "RULES", "tool"), ("foreign", "RULES", "search"))
"""Packages below ``repair``, each with its table and the origin of what has none of its own."""


@cache
def every_rule() -> tuple[Rule, ...]:
    """By origin and name."""
    found = [rule for home, table, origin in _HOMES for rule in _rules(home, table, origin)]
    return tuple(sorted(found, key=lambda rule: (rule.origin, rule.name, rule.languages)))


def _rules(home: str, table: str, origin: Origin) -> Iterator[Rule]:
    module = importlib.import_module(f"windtunnel.repair.{home}")
    for row in getattr(module, table, ()):
        yield row if isinstance(row, Rule) else Rule(
            name=row.name, origin=origin, languages=("python",), what=getattr(row, "what", "") or _sentence(row),
            before=row.before, after=row.after)


def _sentence(row: object) -> str:
    """What the file says that a sort of edit lives in: its docstring's first line."""
    home = inspect.getmodule(getattr(row, "edits", None))
    return (home.__doc__ or "").strip().splitlines()[0] if home is not None and home.__doc__ else ""
