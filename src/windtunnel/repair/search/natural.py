"""How natural an edited function reads: what people write, and what only a search would."""

from __future__ import annotations

import ast
import builtins

from windtunnel.repair.search.profile import Profile, Profiler

NEUTRAL = 0.5
_BUILTINS = frozenset(dir(builtins))
_UNNAMED = frozenset({"self", "cls", "_"})
_PENALTIES = {
    "identical operands": 0.08,
    "identical arguments": 0.5,
    "self-assignment": 0.02,
    "constant condition": 0.1,
    "unreachable": 0.03,
    "repeated": 0.1,
    "identical branches": 0.08,
    "endless": 0.05,
    "lost value": 0.15,
    "useless pass": 0.5,
    "double sign": 0.2,
    "redundant": 0.2,
    "loop once": 0.06,
    "loop variable changed": 0.15,
}
_UNDEFINED = 0.02
_FORGOTTEN = 0.5
_NEEDED = 1.9
_MIRRORED, _UNMIRRORED = 1.5, 0.8


def naturalness(before: str, after: str) -> float:
    """From 0 to 1: how natural an edit is; a half where nothing speaks for or against it, 0 where it is no Python."""
    try:
        old, new = (Profiler().of(ast.parse(text), None) for text in (before, after))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return 0.0
    return rate(old, new)


def rate(old: Profile, new: Profile, known: frozenset[str] = frozenset()) -> float:
    """Compare two profiles; ``known`` are names that are defined elsewhere."""
    value = NEUTRAL
    for oddity, count in new.oddities.items():
        if count > old.oddities.get(oddity, 0):
            value *= _PENALTIES[oddity]
    given = new.parameters | new.stored
    if new.loaded - old.loaded - given - _BUILTINS - known:
        value *= _UNDEFINED
    value *= _FORGOTTEN ** min(2, len((old.loaded - new.loaded) & given))
    idle = (old.parameters | old.stored) - old.loaded - _UNNAMED
    if idle & new.loaded or old.oddities.get("endless", 0) > new.oddities.get("endless", 0):
        value *= _NEEDED
    if new.symmetries != old.symmetries:
        value *= _MIRRORED if new.symmetries > old.symmetries else _UNMIRRORED
    return min(1.0, value)
