"""One claim of a test in JavaScript or TypeScript: what it is about, how it is held, and what it is held against."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from windtunnel.tamper.script_values import Words, is_literal, parts

EQUAL = frozenset(
    {
        *("toBe", "toEqual", "toStrictEqual", "equal", "equals", "eql", "deepEqual", "strictEqual", "deepStrictEqual"),
        *("eq", "is", "be", "toMatchInlineSnapshot", "toThrowErrorMatchingInlineSnapshot", "same", "strictSame"),
    }
)
STRONG = EQUAL | {"true", "false", "null", "undefined"}
WEAK = frozenset(
    {
        *("toBeTruthy", "toBeFalsy", "toBeDefined", "toContain", "toMatch", "toBeInstanceOf", "toBeGreaterThan"),
        *("toBeLessThan", "toBeGreaterThanOrEqual", "toBeLessThanOrEqual", "toMatchObject", "toBeCloseTo", "match"),
        *("toHaveProperty", "ok", "exist", "include", "contain", "an", "a", "below", "above", "toContainEqual"),
        *("truthy", "falsy"),
    }
)
RAISING = frozenset(("throws", "rejects", "toThrow", "toThrowError", "throw", "throwsAsync"))
MATCHERS = STRONG | WEAK | RAISING | {"not", "notEqual", "notOk", "notSame", "doesNotThrow", "doesNotReject", "fail"}
"""Names of assertions that a test may be given by its runner."""
_OK = frozenset(("ok", "assert", "toBeTruthy", "truthy", "isTrue", "isOk"))
_ONE_SIDED = {"toBeNull": "null", "toBeUndefined": "undefined", "null": "null", "undefined": "undefined"} | {
    "true": "true",
    "false": "false",
    "isNull": "null",
    "isUndefined": "undefined",
}
"""Matchers that say themselves what is expected."""
LOOSE = "~="
_LOOSE = frozenset(("equal", "deepEqual"))
"""Comparisons that are loose in the library's older form."""
_SAID = frozenset(("not", "rejects", "resolves"))
_DENIED = re.compile(r"^(not[A-Z]|doesNot|isNot|isnt)|(^|\.)not\.")


@dataclass(frozen=True, slots=True)
class Expectation:
    """One ``expect(...)`` or ``assert...(...)``."""

    subject: Words
    matcher: str
    expected: Words
    line: int = 0
    dead: bool = False
    guards: frozenset[str] = frozenset()
    """Conditions under which alone it is asked."""
    row: str = ""
    """The row of a table that it is about, where there is one."""
    loose: bool = False
    """Whether ``1`` and ``"1"`` are the same to it."""

    @property
    def last(self) -> str:
        """The matcher itself, without what leads to it."""
        return self.matcher.rpartition(".")[2]

    @property
    def denied(self) -> bool:
        """Whether it says what is not so."""
        return bool(_DENIED.search(f"{self.matcher}."))

    @property
    def meaning(self) -> str:
        """The same for claims that hold for the same, in whichever library's words."""
        subject, expected = self.subject, self.expected
        said = self._words()
        if self.last in _ONE_SIDED:
            expected = (_ONE_SIDED[self.last],)
        elif self.last == "toHaveLength":
            subject = (*subject, ".", "length")
        return f"{' '.join(subject)} {said} {' '.join(expected)}"

    def _words(self) -> str:
        way = [word for word in self.matcher.split(".")[:-1] if word in _SAID]
        if self.last in EQUAL or self.last in _ONE_SIDED or self.last == "toHaveLength":
            return ".".join((*way, LOOSE if self.loose and self.last in _LOOSE else "="))
        if "rejects" in way and self.last in RAISING | {"toMatchObject"}:
            return "rejects"
        if self.last in _OK:
            return ".".join((*way, "ok"))
        return ".".join((*way, "raises" if self.last in RAISING - {"rejects"} else self.last))

    @property
    def key(self) -> str:
        """As it is told to people."""
        return f"{' '.join(self.subject)} {self.matcher} {' '.join(self.expected)}"

    @property
    def exact(self) -> str:
        """Its meaning together with the conditions around it."""
        return " when ".join((self.meaning, *sorted(self.guards)))


@dataclass(slots=True)
class ScriptTest:
    """One ``it`` or ``test`` block, or all that a loop makes of it."""

    name: str
    line: int
    silent: str = ""
    only: bool = False
    timeout: float | None = None
    expectations: list[Expectation] = field(default_factory=list)
    mocks: set[str] = field(default_factory=set)
    """What it puts in the place of something else."""

    @property
    def live(self) -> list[Expectation]:
        """Those that can fail."""
        return [each for each in self.expectations if not each.dead]


def claim(head: str, chain: str, *, given: Sequence[Words], held: Sequence[Words] | None) -> tuple[Words, str, Words]:
    """Subject, matcher and what is expected.

    ``held`` is what ``expect`` was given; without it, the first argument of the assertion is the subject. Messages for
    people are no part of a claim.
    """
    matcher = f"{head}.{chain}" if chain else head
    if held is not None:
        return (held[0] if held else ()), chain, _together(given)
    last = matcher.rpartition(".")[2]
    most = 1 if last in _OK | set(_ONE_SIDED) else 2
    return (given[0] if given else ()), matcher, _together(given[1:most])


def _together(given: Sequence[Words]) -> Words:
    found: Words = ()
    for each in given:
        found = (*found, ",", *each) if found else each
    return found


def is_vacuous(subject: Words, matcher: str, expected: Words) -> bool:
    """Whether it compares something with itself, or holds a literal against one."""
    return matcher.rpartition(".")[2] in STRONG and subject == expected and bool(expected)


def at_least(old: Expectation, new: Expectation) -> bool:
    """Whether what satisfies the new claim satisfies the old one too."""
    if new.dead or old.subject != new.subject or not new.guards <= old.guards:
        return False
    if new.meaning in (old.meaning, old.meaning.replace(f" {LOOSE} ", " = ", 1)):
        return new.last != "toBe" or old.last == "toBe" or new.expected[:1] not in (("{",), ("[",))
    if new.last in STRONG and not new.denied and (old.last in WEAK or old.denied):
        return True
    if old.last == new.last and old.last in RAISING and old.denied == new.denied:
        kind, shape = " ".join(old.expected), "".join(new.expected)
        named = re.match(r"^[\w.]+$", kind) and re.match(rf"^{{(.*,)?name:'{kind}'[,}}]", shape)
        more = is_literal(old.expected, "{") and is_literal(new.expected, "{")
        return not kind or bool(named) or (more and set(parts(old.expected)) <= set(parts(new.expected)))
    return False
