"""Tests of a JavaScript or TypeScript file, copied with other inputs."""

from __future__ import annotations

import ast
import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from windtunnel.tamper.literals import TRIVIAL, script_literal
from windtunnel.tamper.retold import (
    MARK,
    MOST_COPIES,
    MOST_SPOTS,
    MOST_TEXT,
    Copy,
    Edit,
    Retold,
    edited,
    others,
)
from windtunnel.tamper.script import Script, read_script
from windtunnel.tamper.script_uses import answers_in, is_module

MOST_FRAMES = 24
_TESTS = frozenset(("it", "test", "specify"))
_CLAIMS = frozenset(("assert", "expect", "t"))
_ENDING = frozenset((";", "{", "}", "=>", "("))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Test:
    """One call that makes a test, by places of its tokens."""

    start: int
    title: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spot:
    value: object
    places: tuple[int, ...]
    echoes: tuple[int, ...] = ()


class _File:
    def __init__(self, path: str, data: bytes) -> None:
        self.path, self.text, self.script = path, data.decode("utf-8", "replace"), read_script(data)
        self.answers = answers_in(self.script)
        words = self.script.words
        self.words = list(dict.fromkeys(
            word.text for index, word in enumerate(words) if word.kind == "string" and not self.answers[index]
            and self.script.text(index - 1) in ("(", ",", "[") and self.script.text(index - 2) not in _TESTS))

    def tests(self, titles: Collection[str]) -> Iterator[_Test]:
        script = self.script
        for index, word in enumerate(script.words):
            if word.kind != "name" or word.text not in _TESTS or script.text(index - 1) == ".":
                continue
            opening = index + 1 if script.text(index + 1) == "(" else index + 3
            title = script.string(opening + 1)
            if script.text(opening) == "(" and title in titles and script.words[opening + 1].start >= 0:
                yield _Test(start=index, title=opening + 1, end=script.closing(opening))

    def claims(self, test: _Test) -> list[tuple[int, int]]:
        """The claims of a test that are statements, by their first and last tokens."""
        script, found = self.script, list[tuple[int, int]]()
        place = test.title + 1
        while place < test.end:
            begins = script.words[place].fresh or script.text(place - 1) in _ENDING
            if begins and script.text(place) in _CLAIMS:
                end = self._chain(place)
                found.append((place, end))
                place = end
            place += 1
        return found

    def _chain(self, place: int) -> int:
        """The last token of a name with what is called on it."""
        script = self.script
        while True:
            if script.text(place + 1) in ("(", "["):
                place = script.closing(place + 1)
            elif script.text(place + 1) == ".":
                place += 2
            else:
                return place

    def spots(self, test: _Test, gone: list[tuple[int, int]]) -> list[_Spot]:
        places: dict[str, list[int]] = {}
        echoes: dict[str, list[int]] = {}
        values: dict[str, object] = {}
        for index in range(test.title + 1, test.end):
            if any(first <= index <= last for first, last in gone):
                continue
            held = self._held(index)
            if held is None:
                continue
            # Texts are names and mean the same everywhere in a test; equal numbers do not.
            key = repr(held) if isinstance(held, str) else str(index)
            values[key] = held
            (echoes if self.answers[index] else places).setdefault(key, []).append(index)
        return [_Spot(value=values[text], places=tuple(found),
                      echoes=tuple(echoes.get(text, ())) if isinstance(values[text], str) else ())
                for text, found in places.items()][:MOST_SPOTS]

    def _held(self, index: int) -> object:
        """The telling literal at a place; None where there is none."""
        word = self.script.words[index]
        text = script_literal(self.script, index) if word.kind in ("number", "string") and word.start >= 0 else None
        if text is None or is_module(self.script, index) or self.script.text(index + 1) == ":":
            return None
        try:
            held: object = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            return None
        if isinstance(held, str):
            return held if 0 < len(held) <= MOST_TEXT else None
        return held if repr(held) not in TRIVIAL else None

    def wanted(self, test: _Test, gone: list[tuple[int, int]]) -> tuple[object, ...]:
        """The literals of the answers that a test wants."""
        told = [script_literal(self.script, index) for index in range(test.title + 1, test.end)
                if self.answers[index] and not any(first <= index <= last for first, last in gone)]
        return tuple(dict.fromkeys(_evaluated(text) for text in told if text is not None))

    def copy(self, test: _Test, edits: list[Edit], number: int) -> str:
        words = self.script.words
        start, end = words[test.start].start, words[test.end].end
        title = words[test.title]
        named = Edit(start=title.start, end=title.end, text=json.dumps(f"{title.text} {MARK}{number}"))
        moved = [Edit(start=each.start - start, end=each.end - start, text=each.text) for each in (named, *edits)]
        return edited(self.text[start:end], moved)


def _evaluated(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None


def _written(value: object, script: Script, index: int) -> str:
    if isinstance(value, str):
        return json.dumps(value)
    large = script.words[index].text.endswith("n")
    return f"{value}n" if large else repr(value)


def retell_script(path: str, data: bytes, tests: Collection[str]) -> Retold | None:
    """The file with copies of these tests behind them; None where there is nothing to change in them."""
    file, copies, edits = _File(path, data), list[Copy](), list[Edit]()
    words, number, frame = file.script.words, 0, 0
    for test in file.tests(tests):
        told, claims = list[str](), file.claims(test)
        for kept in (claims if len(claims) > 1 else [None])[:MOST_FRAMES]:
            frame += 1
            gone = [each for each in claims if kept is not None and each != kept]
            dropped = [Edit(start=words[first].start, end=words[last].end, text="0") for first, last in gone]
            spots, wanted = file.spots(test, gone), file.wanted(test, gone)
            options: list[tuple[_Spot | None, object]] = [(None, None)]
            options += [(spot, each) for spot in spots for each in others(spot.value, file.words)]
            for spot, other in options if spots and number + len(options) <= MOST_COPIES else ():
                number += 1
                changed = [] if spot is None else [
                    Edit(start=words[at].start, end=words[at].end, text=_written(other, file.script, at))
                    for at in (*spot.places, *spot.echoes)]
                told.append(file.copy(test, [*dropped, *changed], number))
                copies.append(Copy(number=number, frame=frame, test=words[test.title].text, line=words[test.start].line,
                                   before=spot.value if spot else None, after=other,
                                   places=len(spot.places) + len(spot.echoes) if spot else 0,
                                   echoed=bool(spot and spot.echoes), wanted=wanted,
                                   spot=spots.index(spot) if spot else -1, whole=not gone))
        end = words[test.end].end
        edits.append(Edit(start=end, end=end, text="".join(f";\n{each}" for each in told)))
    if not copies:
        return None
    return Retold(path=path, data=edited(file.text, edits).encode(), copies=tuple(copies))
