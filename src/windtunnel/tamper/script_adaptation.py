"""Tests in JavaScript or TypeScript that had to follow the change: the same claims, about what has another name now."""

from __future__ import annotations

import re
from collections.abc import Iterator

from windtunnel.tamper.script import read_script
from windtunnel.tamper.script_blocks import script_suite
from windtunnel.tamper.script_claims import Expectation, ScriptTest
from windtunnel.tamper.script_values import split_origin

_NAME = re.compile(r"^[A-Za-z_$][\w$]*$")
_KEPT = frozenset(
    {
        *("expect", "assert", "test", "it", "describe", "jest", "vi", "mock", "undefined", "null", "true", "false"),
        *("new", "Boolean", "Object", "String", "Number", "Array", "Error", "Promise", "JSON", "Symbol", "Reflect"),
    }
)
"""Names that may not take the place of another: with them a test can be hollowed out."""
_BEFORE_METHOD = ("{", "}", ";", "async", "static", "get", "set", "*")
_NO_METHODS = frozenset(("if", "for", "while", "switch", "catch", "return", "function", "constructor"))
MODULE = "file:"
"""What stands before a module's name among the names that a change took away."""
_ENDING = re.compile(r"\.[cm]?[jt]sx?$")
MOST_CLAIMS = 1_000
"""Claims that are held against each other; there are as many pairs as their square."""


def product_names(data: bytes | None) -> Iterator[str]:
    """What a script gives names to: functions, classes, values, methods and fields."""
    script = read_script(data or b"")
    for index, word in enumerate(script.words):
        if word.kind != "name":
            continue
        before, after = script.text(index - 1), script.text(index + 1)
        declared = before in ("function", "class", "const", "let", "var") or (before == "*" and after == "(")
        method = after == "(" and before in _BEFORE_METHOD and script.text(script.closing(index + 1) + 1) == "{"
        stored = before == "." and script.text(index - 2) == "this" and after == "="
        if declared or (method and word.text not in _NO_METHODS) or stored:
            yield word.text


class _Renaming:
    """Which old name became which new one, the same everywhere."""

    def __init__(self, removed: frozenset[str], taken: set[str]) -> None:
        self.removed, self.taken, self.known = removed, taken, dict[str, str]()

    def covers(self, old: Expectation, new: Expectation) -> bool:
        """Whether the new claim is the old one under the names that are known, or can be from here on."""
        before, after = old.exact.split(" "), new.exact.split(" ")
        if new.dead or len(before) != len(after):
            return False
        found = dict(self.known)
        for was, now in zip(before, after, strict=True):
            if was == now and was not in found:
                continue
            if was not in self.removed or not _NAME.match(now) or now in _KEPT or now in self.taken:
                return False
            if found.setdefault(was, now) != now:
                return False
        self.known = found
        return True


def _claims(tests: dict[str, ScriptTest]) -> list[tuple[str, Expectation]]:
    return [(test.name, each) for test in tests.values() if not test.silent for each in test.live]


def _same_places(old: bytes, new: bytes, removed: frozenset[str]) -> bool:
    """Whether what is imported under a name still comes from the same module, unless modules or names are gone."""
    before, after = (
        {name: _ENDING.sub("", split_origin(origin)[0]) for name, origin in read_script(data).aliases.items()}
        for data in (old, new)
    )
    return all(
        place == after.get(name, place)
        or f"{MODULE}{place.rpartition('/')[2]}" in removed
        or any(not each.startswith(MODULE) for each in removed)
        for name, place in before.items()
        if place.startswith(".")
    )


def follows(old: bytes, new: bytes, *, path: str, removed: frozenset[str]) -> bool:
    """Whether every claim of the old version is in the new one, but for names that the change took away.

    A name that took the place of another must come from the product: what the tests make themselves does not count.
    """
    was, now = script_suite(old, path=path), script_suite(new, path=path)
    demanded, waiting = _claims(was.tests), _claims(now.tests)
    if not demanded or len(demanded) > MOST_CLAIMS or (now.only and not was.only):
        return False
    if not _same_places(old, new, removed):
        return False
    # What had its name already cannot be what something else is called now.
    renaming = _Renaming(removed, {word for _, each in demanded for word in each.exact.split(" ")})
    for name, each in demanded:
        near = sorted(waiting, key=lambda other: other[0] != name)
        twin = next((other for other in near if renaming.covers(each, other[1])), None)
        if twin is None:
            return False
        waiting.remove(twin)
    return True
