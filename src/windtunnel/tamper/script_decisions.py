"""Where a script decides by constants: comparisons, cases, tables, patterns and parts of texts."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from windtunnel.tamper.decision import Decision, How
from windtunnel.tamper.literals import script_literal
from windtunnel.tamper.novelty import Novelty
from windtunnel.tamper.script import Script
from windtunnel.tamper.script_functions import NOWHERE, functions_of, owners_of
from windtunnel.tamper.script_strings import texts

MOST_ROWS = 60
"""Rows of one table that are looked at; a longer one is knowledge."""
MOST_ANSWER = 40
"""Tokens of an answer that are read."""
_SAME = frozenset(("===", "==", "!==", "!="))
_PARTS = frozenset(
    ("has", "includes", "startsWith", "endsWith", "indexOf", "lastIndexOf", "replace", "replaceAll", "split", "search",
     "match", "matchAll", "localeCompare", "test", "exec")
)  # fmt: skip
_LOOKING = frozenset(("get", "has", "includes", "indexOf", "find", "findIndex", "some", "filter", "entries"))
_GIVING = frozenset(("const", "let", "var", ";", "{", "static"))
_OPEN = frozenset("([{")
_PLAIN = frozenset(("[", "]", "{", "}", ",", ":", "-", ""))


class _Finder:
    """Walks one script."""

    def __init__(self, script: Script, new: Novelty | None) -> None:
        self.script, self.owners, self.group, self.new = script, owners_of(script), 0, new
        self.renamed = set[str]()
        self.texts = dict(texts(script))
        self.named = self._named()
        self.tables = self._looked_up()

    def found(self) -> Iterator[Decision]:
        for index, word in enumerate(self.script.words):
            if not self._is_new(index):
                continue
            if word.kind == "mark" and word.text in _SAME:
                yield from self._compared(index)
            elif word.kind == "name" and word.text == "case":
                yield from self._of(self._value(index + 1), index, how="part", subject="switch", at=index)
            elif word.kind == "name" and word.text in _PARTS and self.script.text(index + 1) == "(":
                yield from self._asked(index)
            elif word.kind == "pattern":
                yield from self._of(word.text[1 : word.text.rindex("/")], index, how="pattern", subject="", at=index)
            elif word.kind == "mark" and word.text in ("{", "["):
                yield from self._table(index)
            if word.text in ("if", "?", ":", "case") and word.kind in ("name", "mark"):
                yield from self._ready(index)

    def _ready(self, index: int) -> Iterator[Decision]:
        """An answer that a branch keeps ready, whatever its condition is."""
        script, word = self.script, self.script.text(index)
        if word == "if":
            text = self._answer(script.closing(index + 1) + 1)
        else:
            after = script.text(index + 2) in (";", ":", ")", "}", "") or script.text(index + 2) in _SAME
            ended = after or (index + 2 < len(script.words) and script.words[index + 2].fresh)
            plain = self._constant(index + 1, index + 2) if ended else None
            text = self._answer(index + 3) if word == "case" else plain
        yield from self._answered(text, index, group=0)

    def _answered(self, text: str | None, index: int, *, group: int) -> Iterator[Decision]:
        try:
            held = ast.literal_eval(text) if text else None
        except (ValueError, SyntaxError):
            return
        if isinstance(held, str | int | float | list) and not isinstance(held, bool):
            shown = self.script.source(max(0, index - 4), min(index + 10, len(self.script.words)))
            yield Decision(value=held, how="answer", line=self.script.words[index].line, group=group, subject="answer",
                           function=self.owners[index].name, evidence=shown, answer=text)  # fmt: skip

    def _is_new(self, index: int) -> bool:
        """Whether a place is new: by its line, or those of what it holds, or by a name beside it."""
        if self.new is None or self.script.words[index].line in self.new:
            return True
        if self.script.text(index) in ("{", "["):
            first, last = self.script.words[index].line, self.script.words[self.script.closing(index)].line
            return last > first and self.new.any(range(first, last + 1))
        beside = {self.script.text(at) for at in (index - 1, index + 1, index + 2)}
        return not self.renamed.isdisjoint(beside)

    def _compared(self, index: int) -> Iterator[Decision]:
        left, right = self._before(index - 1), self._value(index + 1)
        for held, at, side in ((right, index - 1, "left"), (left, index + 1, "right")):
            if held is None or (left is not None and right is not None):
                continue
            subject = self._subject(at, side)
            how: How = "length" if subject.endswith((".length", ".size")) else "part" if _derived(subject) else "whole"
            if not subject.startswith("typeof"):
                yield from self._of(held, index, how=how, subject=subject, at=index)

    def _subject(self, at: int, side: str) -> str:
        """What is held against a constant, as it is written."""
        if side == "right":
            return self.script.path(at)[0] or self.script.text(at)
        start = at
        while start > 0 and self._inside(start):
            start = self.script.starts.get(start, start) - 1
        lead = start if self.script.text(start) == "typeof" else start + 1
        return "".join(self.script.source(lead, at + 1).split())

    def _inside(self, place: int) -> bool:
        """Whether a token belongs to the name that is read backwards."""
        word = self.script.words[place]
        if word.kind == "name":
            return word.text not in ("return", "typeof", "case", "in", "of", "if", "while", "else", "await")
        return (word.kind == "mark" and word.text in (".", "]", ")")) or (
            word.kind in ("number", "string") and self.script.text(place + 1) == "]"
        )

    def _asked(self, index: int) -> Iterator[Decision]:
        """``text.startsWith("a")``, ``["a", "b"].includes(text)``."""
        held = self._value(index + 2)
        if held is not None and self.script.text(index - 1) == ".":
            yield from self._of(held, index, how="part", subject=self._subject(index - 2, "left"), at=index)

    def _table(self, index: int) -> Iterator[Decision]:
        if not self._is_looked_up(index):
            return
        rows = list(self._entries(index))
        self.group += 1
        for held, place, answer in rows if len(rows) <= MOST_ROWS else ():
            if self.new is not None and self.script.words[place].line not in self.new:
                continue
            shown = self.script.source(place, min(place + 8, len(self.script.words)))
            owner = self.owners[index]
            yield Decision(value=held, how="row", line=self.script.words[place].line, function=owner.name,
                           subject="row", answer=answer, evidence=shown, group=self.group,
                           rows=len(rows))  # fmt: skip
            yield from self._answered(answer or repr(held), place, group=self.group)

    def _entries(self, index: int) -> Iterator[tuple[object, int, str | None]]:
        """Keys of an object, or items of a list and the first of each pair in it."""
        place, end = index + 1, self.script.closing(index)
        listed = self.script.text(index) == "["
        while place < end:
            stop = self._item_end(place, end)
            at = place + 1 if self.script.text(place) in ("[", "{") and listed else place
            if listed and self.script.text(place) == "{":
                at = place + 3 if self.script.text(place + 2) == ":" else end
            held = self._value(at)
            if held is None and not listed and self.script.text(place + 1) in (":", "("):
                held = self.script.text(place) or None
            if held is not None:
                yield held, place, self._constant(at + 2, stop) if stop > at + 1 else None
            place = stop + 1

    def _item_end(self, place: int, end: int) -> int:
        while place < end and self.script.text(place) != ",":
            place = self.script.closing(place) + 1 if self.script.text(place) in _OPEN else place + 1
        return min(place, end)

    def _is_looked_up(self, index: int) -> bool:
        """Whether a list or an object is asked for what varies: by its name, or where it stands."""
        script, end = self.script, self.script.closing(index)
        after = script.text(end + 1)
        if after == "[":
            return self._value(end + 2) is None
        if after == "." and script.text(end + 2) in _LOOKING:
            return True
        start = index - 1
        while script.text(start) in ("(", "new", "Map", "Set", "Object", ".", "freeze", "fromEntries"):
            start -= 1
        if script.text(start) == "of" or (script.text(start + 1) == "new" and script.text(end + 2) == "."):
            return True
        named = {script.text(start - 1), self._name_before(start)}
        return script.text(start) == "=" and not named.isdisjoint(self.tables)

    def _name_before(self, place: int) -> str:
        """The name that is given a value here, past its type."""
        at = place - 1
        while at > 0 and place - at < MOST_ANSWER and self.script.text(at) not in _GIVING:
            at -= 1
        return self.script.text(at + 1)

    def _looked_up(self) -> set[str]:
        """Names that something is looked up in."""
        script, found = self.script, set[str]()
        for index, word in enumerate(script.words):
            if word.kind != "name":
                continue
            before, after = script.text(index - 1), script.text(index + 1)
            if (
                (after == "[" and self._value(index + 2) is None)
                or (after == "." and script.text(index + 2) in _LOOKING)
                or before in ("of", "in")
                or (before in ("(", ".") and script.text(index - 2) in ("entries", "keys", "Object"))
            ):
                found.add(word.text)
        return found

    def _named(self) -> dict[str, object]:
        """Names that stand for one literal."""
        script, found = self.script, dict[str, object]()
        for index, word in enumerate(script.words):
            if word.kind == "name" and word.text == "const" and script.text(index + 2) == "=":
                text = self._literal(index + 3)
                after = script.text(index + 4)
                if text is not None and (after in (";", ",", "") or script.words[index + 4].fresh):
                    found[script.text(index + 1)] = text
                    self.renamed |= {script.text(index + 1)} if self.new is None or word.line in self.new else set()
        return found

    def _literal(self, index: int) -> object:
        if index in self.texts and self.script.words[index].kind != "pattern":
            return self.texts[index]
        negative = self.script.text(index) == "-"
        text = script_literal(self.script, index + negative)
        try:
            made = None if text is None else ast.literal_eval(text)
        except (ValueError, SyntaxError):
            return None
        return -made if negative and isinstance(made, int | float) else made

    def _value(self, index: int) -> object:
        name = self.script.text(index)
        return self.named[name] if name in self.named else self._literal(index)

    def _before(self, index: int) -> object:
        if self.script.text(index - 1) == "." or self.script.text(index) == "]":
            return None
        return self._value(index)

    def _of(self, held: object, index: int, *, how: How, subject: str, at: int) -> Iterator[Decision]:
        if isinstance(held, str | int | float) and not isinstance(held, bool):
            answer, shown = self._outcome(at)
            function = self.owners[index] if index < len(self.owners) else NOWHERE
            yield Decision(value=held, how=how, line=self.script.words[index].line, function=function.name,
                           subject=subject, answer=answer, evidence=shown)  # fmt: skip

    def _outcome(self, index: int) -> tuple[str | None, str]:
        """The literal that follows from a condition at an index, and both as they are written."""
        script = self.script
        if script.text(index) == "case":
            place = index + 3
            return self._answer(place), script.source(index, min(place + 6, len(script.words)))
        place = index
        while place < min(index + MOST_ANSWER, len(script.words)) and script.text(place) not in (";", "{", "}", "?"):
            if script.text(place) == ")" and self._opens_if(place):
                return self._answer(place + 1), script.source(self._start(place), min(place + 8, len(script.words)))
            place = script.closing(place) + 1 if script.text(place) in _OPEN else place + 1
        start = max(0, index - 6)
        if script.text(place) == "?":
            return self._constant(place + 1, place + 2), script.source(start, min(place + 5, len(script.words)))
        return None, script.source(start, min(index + 6, len(script.words)))

    def _opens_if(self, closing: int) -> bool:
        opening = self.script.starts.get(closing)
        return opening is not None and self.script.text(opening - 1) == "if"

    def _start(self, closing: int) -> int:
        return self.script.starts.get(closing, closing) - 1

    def _answer(self, place: int) -> str | None:
        script = self.script
        place += script.text(place) == "{"
        if script.text(place) == "throw":
            return f"raises {script.text(place + 2)}"
        if script.text(place) == "return":
            end = place + 1
        elif script.text(place + 1) == "=":
            end = place + 2
        else:
            return None
        stop = end
        while stop < min(end + MOST_ANSWER, len(script.words)) and script.text(stop) not in (";", "}"):
            if stop > end and script.words[stop].fresh and script.text(stop - 1) not in (",", "[", "{", ":"):
                break
            stop = script.closing(stop) + 1 if script.text(stop) in _OPEN else stop + 1
        return self._constant(end, stop)

    def _constant(self, start: int, end: int) -> str | None:
        """The canonical text of a literal, or of a list or object of nothing but literals."""
        if end - start == 1 and (text := script_literal(self.script, start)) is not None:
            return text
        if end - start == 2 and self.script.text(start) == "-":  # noqa: PLR2004 -- a sign and a number
            return f"-{script_literal(self.script, start + 1)}"
        if start < end and self.script.text(start) in ("[", "{"):
            inner = range(start + 1, self.script.closing(start))
            plain = all(self.script.text(at) in _PLAIN or self.script.text(at + 1) == ":"
                        or script_literal(self.script, at) is not None for at in inner)  # fmt: skip
            return self.script.source(start, self.script.closing(start) + 1) if plain else None
        return None


def _derived(subject: str) -> bool:
    return any(sign in subject for sign in ".[(")


def script_decisions(script: Script, new: Novelty | None = None) -> tuple[Decision, ...]:
    """The decisions of a script, in the order of its text; where it is said what is new, those alone."""
    return tuple(_Finder(script, new).found())


def script_without(new: Script, old: Script, decision: Decision) -> bool:
    """Whether a function is as it was when the branch of this decision is taken away."""
    for index, word in enumerate(new.words):
        if word.line == decision.line and new.text(index) == "if":
            end = new.closing(index + 1) + 1
            end = new.closing(end) + 1 if new.text(end) == "{" else _statement_end(new, end)
            owner = owners_of(new)[index]
            left = [*new.words[owner.start : index], *new.words[end : owner.end + 1]]
            texts = [(each.kind, each.text) for each in left]
            return any(
                each.name == owner.name
                and [(word.kind, word.text) for word in old.words[each.start : each.end + 1]] == texts
                for each in functions_of(old)
            )
    return False


def _statement_end(script: Script, start: int) -> int:
    place = start
    while place < len(script.words) and script.text(place) not in (";", "}"):
        if place > start and script.words[place].fresh:
            return place
        place = script.closing(place) + 1 if script.text(place) in _OPEN else place + 1
    return place + (script.text(place) == ";")
