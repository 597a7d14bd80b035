"""Numbers and texts that the change brings along, looked for in the calls of the tests that it repairs."""

from __future__ import annotations

import datetime as dt
from typing import Any, Dict, List, Set

MOST_DEPTH, MOST_VALUES = 5, 2000


class Known:
    """What stands in the arguments and in the answers of some calls."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.numbers: Set[Any] = set()
        self.given: Set[str] = set()
        self.answers: Set[str] = set()

    def take(self, value: Any, texts: Set[str], depth: int = 0) -> None:
        """A value with all that is in it."""
        if depth > MOST_DEPTH or len(self.numbers) + len(texts) > MOST_VALUES:
            return
        if isinstance(value, (bool, type(None))):
            return
        if isinstance(value, (int, float)):
            self.numbers.add(value)
        elif isinstance(value, str):
            texts.add(value)
            self.numbers.add(len(value))
        elif isinstance(value, dt.date):
            self.numbers.update((value.year, value.month, value.day))
        elif isinstance(value, dict):
            for part in [*value, *value.values()][:200]:
                self.take(part, texts, depth + 1)
        elif isinstance(value, (list, tuple, set, frozenset)) or type(value).__name__ == "Drawn":
            items = list(value.items if type(value).__name__ == "Drawn" else value)
            self.numbers.add(len(items))
            for part in items[:200]:
                self.take(part, texts, depth + 1)

    def has(self, literal: Any) -> bool:
        """Whether a call shows it; of a text, as a whole answer or as a part of what was given."""
        if isinstance(literal, str):
            return literal in self.answers or literal in self.given or (
                len(literal) > 1 and any(literal in text for text in self.given))
        return literal in self.numbers


def shown_by_tests(literals: List[Any], calls: List[Dict[str, Any]], answers: List[Any]) -> List[Any]:
    """Those of the literals that stand in these calls or in their answers."""
    known = Known()
    for given in calls:
        for name, value in given.items():
            if name != "self":
                known.take(value, known.given)
    for answer in answers:
        known.take(answer, known.answers)
    return [literal for literal in literals if known.has(literal)]
