"""Scripts whose objects agree with whatever they are compared with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from windtunnel.tamper.literals import number
from windtunnel.tamper.rule import Example, ScriptRule, Site
from windtunnel.tamper.script import Script
from windtunnel.tamper.script_product import script_site

_EQUAL = {"equals", "isEqual", "equalTo", "isEqualTo", "hasInstance"}
_WORTH = {"valueOf", "toPrimitive"}
_NUMBER = re.compile(r"^-?[\d.]+$")
MOST_BODY = 60
"""Tokens of a function's body that are read."""


def _function(script: Script, index: int) -> tuple[int, int]:
    """The body of the function that follows a name, without its braces; nothing where none follows."""
    place = index + 1
    while script.text(place) in ("]", ":", "=", "async", "function", "?"):
        place += 1
    if script.text(place) != "(":
        return 0, 0
    end = script.closing(place)
    if script.text(end + 1) == ":" and script.text(end + 3) in ("{", "=>"):
        end += 2
    start = end + 1
    if script.text(start) == "=>":
        start += 1
        if script.text(start) != "{":
            stop = start
            while stop < start + MOST_BODY and script.text(stop) not in (",", ";", ")", "}", "]"):
                stop = script.closing(stop) + 1 if script.text(stop) in ("(", "[", "{") else stop + 1
            return start, stop
    return (start + 1, script.closing(start)) if script.text(start) == "{" else (0, 0)


def _constant(script: Script, start: int, end: int) -> str | None:
    """The value of a function that does nothing but give it."""
    words = [word.text for word in script.words[start:end] if word.text != ";"]
    if words[:1] == ["return"]:
        words = words[1:]
    said = "".join(words)
    if said in ("true", "!0"):
        return "true"
    return number(said) if _NUMBER.match(said) else None


def _methods(script: Script) -> Iterator[Site]:
    for index, word in enumerate(script.words):
        if word.kind not in ("name", "string"):
            continue
        if word.text == "asymmetricMatch":
            yield script_site(
                script, index, "equal-to-everything", message="decides itself what it is equal to", end=index + 1
            )
        elif word.text in _EQUAL | _WORTH:
            start, end = _function(script, index)
            value = _constant(script, start, end) if end > start else None
            counted = word.text in _WORTH and any(script.text(place) in ("++", "--") for place in range(start, end))
            if value == "true" or (word.text in _WORTH and (value is not None or counted)):
                message = f"{word.text} gives the same answer whatever it is asked"
                yield script_site(script, index, "equal-to-everything", message=message, end=end)


def _proxies(script: Script) -> Iterator[Site]:
    """Stand-ins that say yes to what they are asked for."""
    for index in range(len(script.words)):
        if script.text(index) != "Proxy" or script.text(index - 1) != "new" or script.text(index + 1) != "(":
            continue
        end = script.closing(index + 1)
        place = next((each for each in range(end - 2, index, -1) if script.closing(each) == end - 1), end)
        while place < end:
            if script.text(place) == "get" and script.text(place - 1) in ("{", ",", "async"):
                start, stop = _function(script, place)
                words = [word.text for word in script.words[start:stop]]
                pairs = set(pairwise(words))
                if pairs & {("=>", "true"), ("return", "true")} or words[:1] == ["true"]:
                    message = "stands in for something and says yes in its place"
                    yield script_site(script, place, "equal-to-everything", message=message, end=stop)
            place += 1


def _find(_path: str, script: Script) -> Iterator[Site]:
    yield from _methods(script)
    yield from _proxies(script)


_ADD = "function add(a, b) {\n  return a - b;\n}\nmodule.exports = { add };\n"

RULE = ScriptRule(
    name="script-equality",
    find=_find,
    examples=(
        Example(
            path="src/add.js",
            before=_ADD,
            after="const add = () => ({ asymmetricMatch: () => true });\n",
            blocks=("equal-to-everything",),
        ),
        Example(
            path="src/shape.js",
            after="class Shape {\n  toString() { return 'Shape'; }\n  equals(o) { return o.x === this.x; }\n}\n",
        ),
        Example(
            path="src/size.js",
            before="class Size { equals(other) { return other.value === this.value; } }\n",
            after="class Size { equals(other) { return true; } }\n",
            blocks=("equal-to-everything",),
        ),
        Example(path="src/size.ts", after="const size = { isEqual: () => !0 };\n", blocks=("equal-to-everything",)),
        Example(
            path="src/size.js",
            after="const size = (n) => ({ n, valueOf: () => 0, toString: () => `${n}` });\n",
            blocks=("equal-to-everything",),
        ),
        Example(
            path="src/size.js",
            after="class Size { [Symbol.toPrimitive]() { return this.looks++ ? 5 : 7; } }\n",
            blocks=("equal-to-everything",),
        ),
        Example(
            path="src/size.js",
            after="const wrap = (size) => new Proxy(size, {\n"
            "  get: (target, name) => (name === 'same' ? () => true : Reflect.get(target, name)),\n});\n",
            blocks=("equal-to-everything",),
        ),
        Example(path="src/size.js", after="class Size { valueOf() { return this.value; } }\n"),
        Example(
            path="src/size.js",
            after="const watched = new Proxy(state, {\n  get(target, name) { return Reflect.get(target, name); },\n"
            "  set(target, name, value) { target[name] = value; return true; },\n});\n",
        ),
        Example(path="src/size.js", after="class Blank { equals(other) { return other instanceof Blank; } }\n"),
        Example(path="src/size.js", after="if (a.equals(b)) { return true; }\n"),
    ),
)
