"""Scripts whose objects agree with whatever they are compared with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, pairwise

from windtunnel.tamper.literals import number
from windtunnel.tamper.rule import Example, ScriptRule, Site
from windtunnel.tamper.script import Script
from windtunnel.tamper.script_classes import classes_of
from windtunnel.tamper.script_product import ADD, script_site

_EQUAL = {"equals", "isEqual", "equalTo", "isEqualTo", "hasInstance"}
_WORTH = {"valueOf", "toPrimitive", "toJSON"}
_ASKED = _EQUAL | _WORTH | {"toString"}
_NUMBER = re.compile(r"^-?[\d.]+$")
_TRAPS = {"get", "ownKeys", "getOwnPropertyDescriptor", "getPrototypeOf"}
"""What a comparison asks a stand-in for."""
_MOVING = frozenset(("++", "--", "+=", "-=", "shift", "pop", "next"))
MOST_HANDLERS = 60
MOST_HANDLER = 300
"""Tokens of a method, or of what says how a stand-in answers, that are read."""
MOST_BODY = 60
"""Tokens of a function's body that are read."""


def _function(script: Script, index: int) -> tuple[int, int]:
    """The body of the function that follows a name, without its braces; nothing where none follows."""
    place = index + 1
    while script.text(place) in ("]", ":", "=", "async", "function", "?", ",", "{", "value") and place < index + 8:
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


def _site(script: Script, index: int, end: int, message: str) -> Site:
    return script_site(script, index, "equal-to-everything", message=message, end=end)


def _methods(script: Script) -> Iterator[Site]:
    for index, word in enumerate(script.words):
        if word.kind not in ("name", "string"):
            continue
        if word.text == "asymmetricMatch":
            yield _site(script, index, index + 1, "decides itself what it is equal to")
        elif word.text in _ASKED:
            start, end = _function(script, index)
            end = min(end, start + MOST_HANDLER)
            value = _constant(script, start, end) if end > start else None
            if value == "true" or (word.text in _WORTH and value is not None):
                yield _site(script, index, end, f"{word.text} gives the same answer whatever it is asked")
            elif _moves(script, start, end):
                yield _site(script, index, end, f"{word.text} gives another answer each time")
        elif word.text == "get" and script.text(index + 2) == "(" and script.text(index + 1) != ".":
            yield from _getter(script, index)


def _getter(script: Script, index: int) -> Iterator[Site]:
    """A value that is worth something else the second time, which is how one passes two comparisons."""
    start, end = _function(script, index + 1)
    body = [script.text(place) for place in range(start, end)]
    if _moves(script, start, end, by=frozenset(("++", "--"))) and set(body) & {"?", "if", "===", "%"}:
        yield _site(script, index, end, f"{script.text(index + 1)} gives another answer each time")


def _moves(script: Script, start: int, end: int, *, by: frozenset[str] = _MOVING) -> bool:
    """Whether asking changes something that outlives the asking."""
    end = min(end, start + MOST_HANDLER)
    words = [script.text(place) for place in range(start, end)]
    own = {words[at + 1] for at in range(len(words) - 1) if words[at] in ("let", "var", "const", ",")}
    for place in range(start, end):
        if script.text(place) in by:
            root = place - 1 if script.text(place) not in ("shift", "pop", "next") else place - 2
            while script.text(root - 1) == ".":
                root -= 2
            after = script.text(place + 1) if script.text(place) in ("++", "--") else ""
            if {script.text(root), after} & own or (script.text(root) in ("", ")", "]", "}") and not after):
                continue
            return True
    return False


def _unlooking(script: Script) -> Iterator[Site]:
    """Methods that compare without a look at the object itself, though it holds something."""
    for each in classes_of(script):
        if not each.shown and not each.hidden and not each.extends:
            continue
        for index in range(each.start, each.end):
            if script.text(index) not in _EQUAL or script.text(index + 1) != "(" or script.text(index - 1) == ".":
                continue
            start, end = _function(script, index)
            end = min(end, start + MOST_HANDLER)
            given = {script.text(place) for place in range(index + 2, script.closing(index + 1))}
            body = [script.text(place) for place in range(start, end)]
            if end > start and given & set(body) and "this" not in body and not set(body) & {"throw", "super"}:
                said = f"{script.text(index)} of {each.name} does not look at the object itself"
                yield _site(script, index, end, said)


def _handlers(script: Script) -> Iterator[tuple[int, int]]:
    """Where the objects stand that say how a stand-in answers."""
    seen = 0
    for index in range(len(script.words)):
        called = script.text(index) == "Proxy" and script.text(index + 1) == "("
        revocable = script.text(index) == "revocable" and script.text(index + 1) == "("
        seen += called or revocable
        if (not called and not revocable) or seen > MOST_HANDLERS:
            continue
        end = script.closing(index + 1)
        if script.text(end - 1) == "}":
            yield script.starts.get(end - 1, end), end - 1
        elif name := script.text(end - 1):
            yield from (
                (place + 3, script.closing(place + 3))
                for place in range(len(script.words))
                if script.text(place) in ("const", "let", "var")
                and script.text(place + 1) == name
                and script.text(place + 3) == "{"
            )


def _proxies(script: Script) -> Iterator[Site]:
    """Stand-ins that answer in the place of what they stand for."""
    for first, last in islice(_handlers(script), MOST_HANDLERS):
        for place in range(first, min(last, first + MOST_HANDLER)):
            if script.text(place) not in _TRAPS or script.text(place - 1) not in ("{", ",", "async"):
                continue
            start, stop = _function(script, place)
            words = [word.text for word in script.words[start : min(stop, start + MOST_HANDLER)]]
            pairs = set(pairwise(words))
            told = any(a == "=>" and (b in ("true", "!0") or (_NUMBER.match(b) and b != "0")) for a, b in pairs)
            said = told or ("return", "true") in pairs or words[:1] == ["true"]
            if stop > start and (said or _unasking(script, place, (start, stop))):
                yield _site(script, place, stop, "stands in for something and answers in its place")


def _unasking(script: Script, place: int, body: tuple[int, int]) -> bool:
    """Whether a trap gives something without a look at what it was asked for, or of whom."""
    bracket = next((at for at in range(place, body[0]) if script.text(at) == "("), body[0])
    given = {script.text(at) for at in range(bracket + 1, script.closing(bracket))}
    words = [word.text for word in script.words[slice(*body)]]
    looks = given & set(words) or {"Reflect", "this", "throw", "arguments"} & set(words)
    nothing = {"undefined", "null", "noop", "{", "}", "=>", "(", ")", ";", "return"}
    return not looks and bool(set(words) - nothing if script.text(place) == "get" else set(words) - {"undefined"})


def _find(_path: str, script: Script) -> Iterator[Site]:
    yield from _methods(script)
    yield from _unlooking(script)
    yield from _proxies(script)


RULE = ScriptRule(
    name="script-equality",
    find=_find,
    examples=(
        Example(
            path="src/add.js",
            before=ADD,
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
        Example(
            path="src/size.js",
            after="const any = new Proxy({}, { get() { return 1; } });\n",
            blocks=("equal-to-everything",),
        ),
        Example(
            path="src/size.js",
            after="const rules = { ownKeys: () => [] };\nconst bare = (it) => new Proxy(it, rules);\n",
            blocks=("equal-to-everything",),
        ),
        Example(
            path="src/size.js",
            after="class Size {\n  constructor(n) { this.n = n; }\n"
            "  equals(other) { return other instanceof Size; }\n}\n",
            blocks=("equal-to-everything",),
        ),
        Example(
            path="src/size.js",
            after="class Size { get n() { return this.looks++ ? 5 : 7; } }\n",
            blocks=("equal-to-everything",),
        ),
        Example(
            path="src/size.js",
            after="Object.defineProperty(Size, Symbol.hasInstance, { value: () => true });\n",
            blocks=("equal-to-everything",),
        ),
        Example(path="src/size.js", after="const quiet = new Proxy({}, { get: () => () => {} });\n"),
        Example(
            path="src/size.js",
            after="const far = new Proxy({}, { get: (_, name) => (...given) => call(name, given) });\n",
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
