"""A script made ready for rules: real names, depth in functions, matching brackets."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache

from windtunnel.tamper.tokens import tokens

SCRIPT = re.compile(r"\.[cm]?[jt]sx?$|\.vue$|\.svelte$")
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")
_GLOBALS = ("globalThis.", "global.", "window.", "self.")
_WORD = re.compile(r"^[\w$]+$")
MOST_IMPORT = 40
"""Tokens of an import that are read."""


class Script:
    """The tokens of one file."""

    def __init__(self, text: str) -> None:
        """Read the whole text once."""
        self.words = list(tokens(text))
        self.ends = self._ends()

    def _ends(self) -> dict[int, int]:
        found, waiting = dict[int, int](), list[int]()
        for index, word in enumerate(self.words):
            if word.kind == "mark" and word.text in _OPEN:
                waiting.append(index)
            elif word.kind == "mark" and word.text in _CLOSE and waiting:
                found[waiting.pop()] = index
        return found | dict.fromkeys(waiting, len(self.words) - 1)

    def closing(self, start: int) -> int:
        """Where the bracket at ``start`` is closed: the last index when nowhere, ``start`` when it is none."""
        return self.ends.get(start, start)

    @cached_property
    def starts(self) -> dict[int, int]:
        """Where the bracket that is closed at an index was opened."""
        return {end: start for start, end in self.ends.items()}

    def text(self, index: int) -> str:
        """The mark or name at an index; empty outside, and for strings and numbers."""
        if not 0 <= index < len(self.words):
            return ""
        word = self.words[index]
        return word.text if word.kind in ("mark", "name") else ""

    def string(self, index: int) -> str | None:
        """The string at an index."""
        return self.words[index].text if 0 <= index < len(self.words) and self.words[index].kind == "string" else None

    def added(self, index: int) -> tuple[str, int]:
        """The text of strings that are added up from an index on, and where they end."""
        text, place = self.string(index) or "", index + 1
        while self.text(place) == "+" and (more := self.string(place + 1)) is not None:
            text, place = text + more, place + 2
        return text, place

    def source(self, start: int, end: int) -> str:
        """The words from start to before end, for people."""
        return " ".join(repr(word.text) if word.kind == "string" else word.text for word in self.words[start:end])

    @cached_property
    def depths(self) -> list[int]:
        """For each token, how many functions it stands in."""
        found, bodies, depth = [], list[bool](), 0
        for index, word in enumerate(self.words):
            if word.kind == "mark" and word.text == "{":
                bodies.append(self._is_body(index))
                depth += bodies[-1]
            found.append(depth)
            if word.kind == "mark" and word.text == "}" and bodies:
                depth -= bodies.pop()
        return found

    def _is_body(self, index: int) -> bool:
        """Whether the brace opens a function: after an arrow, or after the arguments of one that is no statement."""
        before = self.text(index - 1)
        if before == "=>":
            return True
        if before != ")":
            return False
        start = self._opening(index - 1)
        called = self.text(start - 1)
        if called in ("if", "for", "while", "switch", "with", "catch"):
            return False
        # A function that is called where it stands runs on import.
        end = self.closing(index)
        return self.text(end + 1) != "(" and not (self.text(end + 1) == ")" and self.text(end + 2) == "(")

    def _opening(self, index: int) -> int:
        depth = 0
        for place in range(index, max(-1, index - 400), -1):
            depth += (self.text(place) in (")", "]", "}")) - (self.text(place) in ("(", "[", "{"))
            if not depth:
                return place
        return 0

    @cached_property
    def aliases(self) -> dict[str, str]:
        """What names stand for, as far as the file says: ``const p = process``, ``const { exit } = process``."""
        found: dict[str, str] = {}
        for index, word in enumerate(self.words):
            if word.kind == "name" and word.text in ("const", "let", "var"):
                self._alias(index + 1, found)
            elif word.kind == "name" and word.text == "import":
                self._import(index + 1, found)
        return found

    def _import(self, index: int, found: dict[str, str]) -> None:
        """``import a, { b as c } from "m"`` and ``import * as a from "m"``."""
        end = index
        while end < index + MOST_IMPORT and self.text(end) not in ("from", ";", "(", ""):
            end = self.closing(end) + 1 if self.text(end) == "{" else end + 1
        module = (self.string(end + 1) or "").removeprefix("node:") if self.text(end) == "from" else ""
        if not module:
            return
        if _WORD.match(self.text(index)):
            found[self.text(index)] = module
        for place in range(index, end):
            if self.text(place) == "*" and self.text(place + 1) == "as":
                found[self.text(place + 2)] = module
            elif self.text(place) == "{":
                self._alias(place, found)

    def _alias(self, index: int, found: dict[str, str]) -> None:
        if self.text(index) == "{":
            end = self.closing(index)
            base = self._value(end + 1)
            for place in range(index + 1, end) if base else ():
                name = self.text(place)
                if _WORD.match(name) and self.text(place - 1) in ("{", ","):
                    other = self.text(place + 2) if self.text(place + 1) in (":", "as") else name
                    found[other] = f"{base}.{name}"
        elif _WORD.match(self.text(index)):
            name = self.text(index)
            base = self._value(index + (3 if self.text(index + 1) == "as" else 1))
            required = self.text(index + 1) == "=" and self.text(index + 2) == "require"
            if base and (base != name or required):
                found[name] = base

    def _value(self, index: int) -> str:
        """The dotted name after ``=``, or the module after ``from``; empty for anything longer."""
        if self.text(index) == "from":
            return (self.string(index + 1) or "").removeprefix("node:")
        if self.text(index) != "=":
            return ""
        if self.text(index + 1) == "require" and self.text(index + 2) == "(":
            return (self.string(index + 3) or "").removeprefix("node:")
        name, end = self.path(index + 1, resolve=False)
        return name if self.text(end) in (";", ",", "") or (end < len(self.words) and self.words[end].fresh) else ""

    def path(self, index: int, *, resolve: bool = True) -> tuple[str, int]:
        """The dotted name that starts at an index, and where it ends; ``a["b"]`` is ``a.b``."""
        parts = [self.text(index)]
        if not _WORD.match(parts[0]):
            return "", index + 1
        place = index + 1
        while True:
            if self.text(place) == "." and _WORD.match(self.text(place + 1)):
                parts.append(self.text(place + 1))
                place += 2
            elif self.text(place) == "[" and self.string(place + 1) and self.text(self.added(place + 1)[1]) == "]":
                key, end = self.added(place + 1)
                parts.append(key)
                place = end + 1
            else:
                break
        if resolve:
            parts[0] = self.aliases.get(parts[0], parts[0])
        name = ".".join(parts)
        for prefix in _GLOBALS:
            name = name.removeprefix(prefix)
        return name, place

    def paths(self) -> list[tuple[str, int, int]]:
        """Every dotted name with its first index and where it ends."""
        return self._paths

    @cached_property
    def _paths(self) -> list[tuple[str, int, int]]:
        return [
            (*self.path(index)[:1], index, self.path(index)[1])
            for index, word in enumerate(self.words)
            if word.kind == "name" and self.text(index - 1) != "."
        ]


@lru_cache(maxsize=64)
def read_script(data: bytes) -> Script:
    """A file's script; it is kept for whoever asks next, so nobody may change it."""
    return Script(data.decode("utf-8", "replace"))
