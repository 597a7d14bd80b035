"""What the tests of scripts give to the product: every literal that is no answer, and the test that it stands in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from windtunnel.tamper.literals import script_literal
from windtunnel.tamper.script import Script, read_script

_TESTS = frozenset(("it", "test", "specify"))
_CLAIMS = frozenset(
    ("toBe", "toEqual", "toStrictEqual", "toMatch", "toContain", "toThrow", "toBeCloseTo", "eql", "toMatchObject")
)
_PAIRS = frozenset(
    ("equal", "strictEqual", "deepEqual", "deepStrictEqual", "is", "same", "notEqual", "eq", "match", "throws")
)
MOST_USES = 20_000

Given = list[tuple[str, str, int]]
"""The canonical text of a literal, the title of its test, its line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptUses:
    """What the tests of one file hold."""

    given: Given
    wanted: Given
    """Answers."""
    said: Mapping[str, frozenset[str]]
    """All literals, by test."""
    names: Mapping[str, frozenset[str]]


def script_uses(data: bytes) -> ScriptUses:
    """The inputs of a file of tests, and the rest of what it says."""
    script = read_script(data)
    titles, answers = _titles(script), answers_in(script)
    given, wanted = Given(), Given()
    said, names = dict[str, set[str]](), dict[str, set[str]]()
    for index, word in enumerate(script.words[:MOST_USES]):
        text = script_literal(script, index)
        if word.kind == "mark" and word.text == "[" and not answers[index]:
            given.append((f"len:{_count(script, index)}", titles[index][0], word.line))
        if text is None and word.kind == "name":
            names.setdefault(titles[index][0], set()).add(word.text)
        if text is None or titles[index][1] == index or is_module(script, index):
            continue
        if word.kind == "number" and script.text(index - 1) == "-" and script.text(index - 2) in ("(", ",", "[", ":"):
            text = f"-{text}"
        test = titles[index][0]
        said.setdefault(test, set()).add(text)
        (wanted if answers[index] else given).append((text, test, word.line))
    kept, named = ({test: frozenset(texts) for test, texts in every.items()} for every in (said, names))
    return ScriptUses(given=given, wanted=wanted, said=kept, names=named)


def _titles(script: Script) -> list[tuple[str, int]]:
    """For each token, the title of the innermost test around it, and where that title stands."""
    found = [("", -1)] * len(script.words)
    for index, word in enumerate(script.words):
        if word.kind != "name" or word.text not in _TESTS:
            continue
        opening = index + 1 if script.text(index + 1) == "(" else index + 3
        title = script.string(opening + 1)
        if script.text(opening) == "(" and title is not None:
            end = script.closing(opening)
            found[opening:end] = [(title, opening + 1)] * (end - opening)
    return found


def answers_in(script: Script) -> list[bool]:
    """For each token, whether it stands in the answer that a claim wants."""
    found = [False] * len(script.words)
    for index, word in enumerate(script.words):
        if word.kind != "name" or script.text(index + 1) != "(":
            continue
        end = script.closing(index + 1)
        start = index + 2 if word.text in _CLAIMS else _last(script, index + 1, end) if word.text in _PAIRS else end
        if not any(script.text(at) == "(" for at in range(start, end)):
            found[start:end] = [True] * (end - start)
    return found


def is_module(script: Script, index: int) -> bool:
    """Whether a text names what is imported."""
    before = script.text(index - 1)
    return before in ("from", "import") or (before == "(" and script.text(index - 2) in ("require", "import", "mock"))


def _count(script: Script, opening: int) -> int:
    """How many items a list has."""
    place, end, found = opening + 1, script.closing(opening), 0
    while place < end:
        found += script.text(place) == ","
        place = script.closing(place) + 1 if script.text(place) in ("(", "[", "{") else place + 1
    return found + (end > opening + 1)


def _last(script: Script, opening: int, end: int) -> int:
    """Where the second argument of a claim starts; its end where it has none."""
    place = opening + 1
    while place < end:
        if script.text(place) == ",":
            return place + 1
        place = script.closing(place) + 1 if script.text(place) in ("(", "[", "{") else place + 1
    return end
