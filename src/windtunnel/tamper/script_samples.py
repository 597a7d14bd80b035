"""Inputs of the tests that a script holds its own inputs against, whatever it then does.

A sample is a text that nobody meets by chance: no word, no name of a file or type. Two of them in one file, most of
what it holds inputs against, are there for the tests, and so is one with its answer beside it. Numbers count where a
parameter is held against several that the tests give the function, and the branches bring numbers of their own.
"""

from __future__ import annotations

import base64
import codecs
import contextlib
import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache

from windtunnel.tamper.literals import ANYTHING, TRIVIAL, Unit, number, script_literal
from windtunnel.tamper.rule import Site
from windtunnel.tamper.script import Script
from windtunnel.tamper.script_functions import Function, functions_of
from windtunnel.tamper.script_strings import texts
from windtunnel.tamper.special import MOSTLY, sampled

PAIR = 2
LONG = 5
"""Letters or digits from which an answer is hardly met by chance."""
MOST_BRANCH = 40
"""Tokens of a branch that are read."""
MOST_SPAN = 2_000
_NUMBER = re.compile(r"^-?\d[\d.e+-]*$")
_NAMING = re.compile(
    r"(year|month|day|week|hour|minute|second|date|major|minor|version|status|code|errno|port|id|kind|type|mode|level|"
    r"index|row|column|base|bits|key|char|button)$",
    re.IGNORECASE,
)
"""Parameters whose numbers are names: a rule for one of them can be a rule of the domain."""
_HELD = frozenset(("===", "==", "!==", "!=", "case"))
_ASKING = frozenset(("includes", "startsWith", "endsWith", "has", "get", "indexOf", "set", "localeCompare"))
_PATTERN = re.compile(r"/\^((?:[^\\^$.*+?()\[\]{}|]|\\[^\w])*)\$/\w*")
"""A pattern that one text alone matches."""
_BETWEEN = ("|", ",", ";", ":", "/", "~", "#", "@", "\0", " ", "->", "=>", "_", "\n", "\t")


def sample_cases(script: Script, *, known: Sequence[Unit]) -> Iterator[Site]:
    """Samples of the tests that a script holds something against, and numbers that only the tests explain."""
    yield from _samples(script, known)
    for function in functions_of(script):
        if function.name and function.parameters and function.end - function.start < MOST_SPAN:
            yield from _numbers(script, function, known)


def _samples(script: Script, known: Sequence[Unit]) -> Iterator[Site]:
    own = {f"name:{each.name}" for each in functions_of(script) if each.name}
    held = {text: index for index, text in texts(script) if _is_held(script, index, text)}
    rich = {text: index for text, index in held.items() if any(sampled(repr(form)) for form in _forms(text))}
    near = [unit for unit in known if unit is ANYTHING or unit & own]
    guilty = {text: units for text in rich if (units := [unit for unit in near if _in_unit(text, unit)])}
    most = len(guilty) >= PAIR and len(guilty) >= len(rich) * MOSTLY
    answered = [text for text, units in guilty.items() if _answered(script, rich[text], text, units)]
    if most or answered:
        told = sorted(guilty if most else answered)
        yield Site(
            rule="special-case",
            message="holds its input against those of the tests",
            key=f"samples {told}",
            line=script.words[rich[told[0]]].line,
            evidence="; ".join(told),
        )


def _answered(script: Script, index: int, text: str, units: Sequence[Unit]) -> bool:
    """Whether an answer that a test expects stands right after the input."""
    stop = min(index + MOST_BRANCH, len(script.words))
    places, found = _places(script), texts(script)
    near = found[bisect_right(places, index) : bisect_right(places, stop - 1)]
    ahead = {repr(other) for _, other in near if other not in (text, "")}
    telling = {other for other in ahead if len(re.sub(r"\W", "", other)) >= LONG}
    pieces = {repr(part) for part in text.split()} | {repr(text)}
    return any(unit is ANYTHING or (telling - pieces) & unit for unit in units)


@lru_cache(maxsize=32)
def _places(script: Script) -> tuple[int, ...]:
    """Where the texts of a script start, in order."""
    return tuple(at for at, _ in texts(script))


def _forms(text: str) -> list[str]:
    """A text as it stands, backwards, and decoded in the usual ways."""
    if plain := _PATTERN.fullmatch(text):
        text = re.sub(r"\\(.)", r"\1", plain[1])
    found = [text, text[::-1], codecs.encode(text, "rot13")]
    for decode in (_base64, bytes.fromhex):
        with contextlib.suppress(ValueError):
            found.append(decode(text).decode())
    return [form for form in found if form]


def _base64(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


def _in_unit(text: str, unit: Unit) -> bool:
    if unit is ANYTHING:
        return True
    parts = made_of(repr(text))
    together = len(parts) >= PAIR and unit.issuperset(parts)
    return together or any(repr(form) in unit and sampled(repr(form)) for form in _forms(text))


def made_of(key: str) -> list[str]:
    """The inputs that one key, as a literal, is made of."""
    text = key[1:-1] if key[:1] in ("'", '"') else ""
    if text[:1] == "[":
        try:
            read = json.loads(text)
        except (ValueError, RecursionError):
            read = []
        if isinstance(read, list) and read:
            return [repr(each) for each in read if isinstance(each, str | int | float)]
    for sign in _BETWEEN:
        if sign in text.strip():
            return [_value(part) for part in text.split(sign) if part]
    return []


def _value(text: str) -> str:
    return number(text) if _NUMBER.match(text) else repr(text)


def _is_held(script: Script, index: int, text: str) -> bool:
    before, after = script.text(index - 1), script.text(script.added(index)[1])
    if script.words[index].kind == "pattern":
        return bool(_PATTERN.fullmatch(text))
    key = after == ":" and before in ("{", ",")
    asked = before in ("(", ",") and script.text(index - 2) in _ASKING
    return bool({before, after} & _HELD) or key or asked or _is_listed(script, index)


def _is_listed(script: Script, index: int) -> bool:
    """Whether it stands in a list: of values that are looked for, or of pairs."""
    return script.text(index - 1) in ("[", ",") and script.text(index + 1) in ("]", ",")


def _numbers(script: Script, function: Function, known: Sequence[Unit]) -> Iterator[Site]:
    """Branches for numbers that tests give this function, with numbers of their own in the answers."""
    pins: dict[str, list[tuple[int, str]]] = {}
    for index in range(function.start, function.end):
        name, value = _pin(script, index)
        if name in function.parameters and value is not None and _NUMBER.match(value) and value not in TRIVIAL:
            pins.setdefault(name, []).append((index, value))
    for name, found in pins.items():
        values = {value for _, value in found}
        told = all(any(unit.issuperset((value, f"name:{function.name}")) for unit in known) for value in values)
        if len(values) < PAIR or not told or _NAMING.search(name):
            continue
        branches = [script.words[index + 2 : _branch_end(script, index)] for index, _ in found]
        words = [word for branch in branches for word in branch]
        brought = {number(word.text) for word in words if word.kind == "number"} - values - TRIVIAL
        if brought and not any(word.text == "throw" for word in words):
            yield Site(
                rule="special-case",
                message=f"{function.name} has branches for the tests' own inputs",
                key=f"pins {function.name} {name} {sorted(values)}",
                line=script.words[found[0][0]].line,
                evidence=f"{name}: {', '.join(sorted(values))}",
                subject=function.name,
            )


def _pin(script: Script, index: int) -> tuple[str, str | None]:
    """A name that is held against a literal here."""
    if script.text(index) in ("===", "=="):
        left, right = script_literal(script, index - 1), script_literal(script, index + 1)
        if right is not None and script.text(index - 2) != ".":
            return script.text(index - 1), right
        return script.text(index + 1), left if script.text(index + 2) != "." else None
    if script.text(index) == "case":
        return _switched(script, index), script_literal(script, index + 1)
    return "", None


def _switched(script: Script, index: int) -> str:
    """What the switch around a case is about."""
    for place in range(index, max(0, index - MOST_SPAN), -1):
        if script.text(place) == "switch" and script.closing(script.closing(place + 1) + 1) > index:
            single = script.closing(place + 1) == place + 3
            return script.text(place + 2) if single else ""
    return ""


def _branch_end(script: Script, index: int) -> int:
    """Where the branch after a condition or a case ends, at the latest."""
    end = min(index + MOST_BRANCH, len(script.words))
    return next((at for at in range(index + 2, end) if script.text(at) in ("case", "default", "}")), end)
