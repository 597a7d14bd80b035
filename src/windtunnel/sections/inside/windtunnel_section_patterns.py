"""Texts that match the regular expressions which some code uses."""

from __future__ import annotations

import random
import re
import string
from typing import Any, Callable, Dict, Iterable, List

try:
    import re._parser as parser  # type: ignore[import-not-found]  # since Python 3.11
except ImportError:
    import sre_parse as parser

MOST_PATTERNS, MOST_OF_ONE, MOST_REPEATED, MOST_LETTERS = 12, 6, 3, 200
_LETTERS = "a1b2 -_.,:/" + string.printable
_CATEGORIES = {"CATEGORY_DIGIT": "1203", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "abc1", "CATEGORY_NOT_DIGIT": "abc",
               "CATEGORY_NOT_SPACE": "abc1", "CATEGORY_NOT_WORD": " -"}

_SIGNS = {"CATEGORY_DIGIT": r"\d", "CATEGORY_SPACE": r"\s", "CATEGORY_WORD": r"\w", "CATEGORY_NOT_DIGIT": r"\D",
          "CATEGORY_NOT_SPACE": r"\S", "CATEGORY_NOT_WORD": r"\W"}


def matching(patterns: Iterable[Any], seed: int) -> List[str]:
    """Some texts for each, the shortest way first; none for those that cannot be read."""
    found: Dict[str, None] = {}
    for pattern in list(patterns)[:MOST_PATTERNS]:
        chance = random.Random(seed)
        try:
            compiled = re.compile(pattern) if isinstance(pattern, str) else pattern
            tree = parser.parse(compiled.pattern, compiled.flags & ~re.DEBUG)
            made = [_Writer(chance, eagerness).all(tree) for eagerness in (0.5, 0.0, 1.0, 0.5, 0.7, 0.3)]
            found.update(dict.fromkeys([text for text in made if len(text) < MOST_LETTERS
                                        and compiled.search(text)][:MOST_OF_ONE]))
        except Exception:
            continue
    return list(found)


class _Writer:
    """Writes one text; ``eagerness`` is how often it takes what it may leave out."""

    def __init__(self, chance: random.Random, eagerness: float) -> None:
        self.chance, self.eagerness = chance, eagerness
        self.groups: Dict[int, str] = {}

    def all(self, tree: Any) -> str:
        return "".join(self._one(str(kind), value) for kind, value in tree)

    def _one(self, kind: str, value: Any) -> str:
        act: Callable[[Any], str] = getattr(self, "_" + kind.lower(), lambda _: "")
        return act(value)

    def _literal(self, value: int) -> str:
        return chr(value)

    def _not_literal(self, value: int) -> str:
        return "a" if value != ord("a") else "b"

    def _any(self, value: Any) -> str:
        return self.chance.choice("ab1")

    def _in(self, value: Any) -> str:
        kinds = [(str(kind), one) for kind, one in value]
        if kinds and kinds[0][0] == "NEGATE":
            return next((letter for letter in _LETTERS if not _holds(kinds[1:], letter)), "")
        return self._member(*self.chance.choice(kinds)) if kinds else ""

    def _member(self, kind: str, value: Any) -> str:
        if kind == "LITERAL":
            return chr(value)
        if kind == "RANGE":
            return chr(self.chance.choice((value[0], min(value[0] + 1, value[1]), value[1])))
        return self.chance.choice(_CATEGORIES.get(str(value), "a"))

    def _branch(self, value: Any) -> str:
        return self.all(self.chance.choice(value[1]))

    def _subpattern(self, value: Any) -> str:
        text = self.all(value[-1])
        if value[0] is not None:
            self.groups[value[0]] = text
        return text

    def _atomic_group(self, value: Any) -> str:
        return self.all(value)

    def _groupref(self, value: int) -> str:
        return self.groups.get(value, "")

    def _max_repeat(self, value: Any) -> str:
        low, high, tree = value
        more = sum(self.chance.random() < self.eagerness for _ in range(MOST_REPEATED))
        return "".join(self.all(tree) for _ in range(min(int(high), low + more, low + MOST_REPEATED)))

    _min_repeat = _possessive_repeat = _max_repeat


def _holds(kinds: List[Any], letter: str) -> bool:
    for kind, value in kinds:
        if kind == "LITERAL" and chr(value) == letter:
            return True
        if kind == "RANGE" and value[0] <= ord(letter) <= value[1]:
            return True
        if kind == "CATEGORY":
            word = _SIGNS.get(str(value), "")
            if word and re.fullmatch(word, letter):
                return True
    return False


class Heard:
    """Patterns that are compiled while it listens."""

    def __init__(self) -> None:
        self.found: Dict[str, None] = {}

    def listen(self) -> None:
        """From now on, in this process."""
        usual: Any = getattr(re, "_compile", None)
        if usual is None:
            return

        def heard(pattern: Any, flags: Any) -> Any:
            made = usual(pattern, flags)
            if isinstance(pattern, str) and len(self.found) < MOST_PATTERNS:
                self.found[pattern] = None
            return made

        re._compile = heard  # type: ignore[attr-defined]

    def take(self) -> List[str]:
        found, self.found = list(self.found), {}
        return found


def patterns_of(space: Dict[str, Any], names: Iterable[str]) -> List[Any]:
    """Those that some names stand for, then others around them."""
    def fits(value: Any) -> bool:
        return isinstance(value, re.Pattern) and isinstance(value.pattern, str)

    first = [space[name] for name in names if name in space and fits(space[name])]
    return [*first, *(value for value in space.values() if fits(value) and value not in first)][:MOST_PATTERNS]


