"""From what a search told to checks that may stand in a test: each text is read, and what is odd is left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from keyword import iskeyword
from typing import Any

from windtunnel.mutation.suggest_text import Draft
from windtunnel.mutation.suggest_words import Surroundings, expression, import_line, numbers, pairs

_SHAPES = ("plain", "list", "few", "run", "raised")
_MOST_TESTS = 50
_NEEDED = {"few": "itertools", "run": "asyncio"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a text may be about."""

    around: Surroundings
    roots: frozenset[str]
    numbers: range
    function: str

    @property
    def member(self) -> str:
        """The function's own name, which may begin with an underscore."""
        return self.function.rpartition(".")[2]


def told_of(found: object, number: int) -> Mapping[str, Any]:
    """What was told of one function; nothing where that is no mapping."""
    told = found[number] if isinstance(found, list) and number < len(found) else None
    if not isinstance(told, dict):
        return {}
    return told if isinstance(told.get("tries", 0), int) else {**told, "tries": 0}


def drafts_of(told: Mapping[str, Any], reading: Reading) -> Iterator[Draft]:
    """Those checks that can be read as such."""
    tests = told.get("tests")
    for one in tests[:_MOST_TESTS] if isinstance(tests, list) else []:
        draft = _draft(one, reading) if isinstance(one, dict) else None
        if draft is not None:
            yield draft


def _draft(one: Mapping[str, Any], reading: Reading) -> Draft | None:
    asked = one.get("imports")
    imports = [import_line(module, name, reading.roots) for module, name in pairs(asked)]
    given = pairs(one.get("given"))
    names = {line.split()[-1].split(".")[0] for line in imports if line} | {name for name, _ in given}

    def read(text: object) -> str | None:
        return expression(text, reading.around, more=names, member=reading.member)

    texts = [read(one.get("call")), read(one.get("expected")), *(read(text) for _, text in given)]
    arguments = [(name, read(text)) for name, text in pairs(one.get("arguments"))]
    raises = one.get("raises")
    shape, aspect, kills = one.get("shape"), one.get("aspect"), numbers(one.get("kills"), reading.numbers)
    sound = (None not in texts and None not in imports and isinstance(asked, list) and len(imports) == len(asked)
             and kills and shape in _SHAPES and _is_aspect(aspect) and all(_is_name(name) for name, _ in given)
             and (not raises or read(raises) is not None)
             and all(_is_name(name) and text for name, text in arguments))
    if not sound or _NEEDED.get(str(shape), "") not in {"", *names, *reading.around.names}:
        return None
    own = {name for name, _ in arguments}
    named = expression(one.get("named"), reading.around, more={*names, *own}, member=reading.member) if own else None
    return Draft(
        function=reading.function, call=str(texts[0]), expected=str(texts[1]), aspect=str(aspect), shape=str(shape),
        raises=str(raises or ""),
        given=tuple((pair[0], str(text)) for pair, text in zip(given, texts[2:], strict=True)),
        named=named or "", arguments=tuple((name, str(text)) for name, text in arguments),
        imports=tuple(str(line) for line in imports), kills=tuple(kills))


def _is_aspect(value: object) -> bool:
    if not isinstance(value, str):
        return False
    words = value.removeprefix("after ").removeprefix(".").split(".")
    return all(_is_name(word) for word in words)


def _is_name(word: str) -> bool:
    return word.isidentifier() and not word.startswith("__") and not iskeyword(word)
