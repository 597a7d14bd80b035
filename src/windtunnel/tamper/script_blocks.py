"""A test file in JavaScript or TypeScript, read as what it claims.

Loops over tables are walked row by row, functions of the tests' own are followed, and what a hook prepares is known.
What is only reached under a condition, or can no longer fail, is told from the rest. Bounded in rows and in claims.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from functools import lru_cache

from windtunnel.tamper.script import read_script
from windtunnel.tamper.script_claims import MATCHERS, Expectation, ScriptTest, claim, is_vacuous
from windtunnel.tamper.script_values import MOST_DEPTH, Callable, Scope
from windtunnel.tamper.script_walk import State, Walk

TESTS = frozenset(("it", "test", "specify", "fit", "xit", "xtest", "ftest", "xspecify"))
GROUPS = frozenset(("describe", "context", "suite", "fdescribe", "xdescribe", "xcontext"))
_HOOKS = frozenset(("beforeEach", "before", "beforeAll", "setup", "suiteSetup"))
_SILENT = frozenset(("skip", "todo", "failing", "fails", "fixme", "skipIf", "runIf"))
_TABLES = frozenset(("each", "for"))
_SKIPPING = re.compile(r"\bthis \. skip \(|\b(t|ctx|context) \. (skip|todo) \(")
JUDGES = re.compile(r"^(assert(/strict)?|chai|expect|vitest|@jest/globals|ava|tap|uvu/assert|@playwright/test)(\.|$)")
_LOOSE = re.compile(r"^assert(\.(equal|deepEqual|default))?$")
"""The older form of node's library, which compares loosely."""
_MOCKS = re.compile(r"(^|\.)(mock\.(method|module|getter|fn)|(jest|vi|sinon)\.(mock|doMock|spyOn|stub|replace))$")
RUNNERS = re.compile(r"^(test|mocha|vitest|@jest/globals|ava|tap|@playwright/test|uvu|bun:test)(\.|$)")
_EXPECTING = frozenset(("expect", "assert", "should"))
DOES = "runs"
"""What a test claims that claims nothing: that it can do what it does."""
OUTSIDE = "the file itself"
"""What claims that stand in no test are told under."""


class ScriptSuite(Walk):
    """A test file made ready for comparison."""

    def __init__(self, data: bytes, *, path: str = "") -> None:
        """Read every block once."""
        super().__init__(read_script(data), path=path)
        self.tests: dict[str, ScriptTest] = {}
        self.heads = self._heads()
        self.imported = set(self.heads)
        self.contexts = {"t", "ctx", "context"}
        """What tests call the object that the runner gives them."""
        self.loose = {name for name, origin in self.script.aliases.items() if _LOOSE.match(origin)}
        state = State(Scope())
        self._hoist(state.scope)
        self.timeout = self._timeout()
        self.walk(0, len(self.script.words), state)
        self.only = any(test.only for test in self.tests.values())

    def _heads(self) -> dict[str, str]:
        """What names of this file are to the runner or the assertion library."""
        found = dict[str, str]()
        for name, origin in self.script.aliases.items():
            judge, runner = JUDGES.match(origin), RUNNERS.match(origin)
            if origin.partition(".")[0] in (TESTS | GROUPS) - {"test"} or origin.startswith("test."):
                found[name] = origin.removeprefix("test.") if origin[5:] in TESTS | GROUPS | _HOOKS else origin
                continue
            member = origin[(judge or runner).end() :] if judge or runner else ""  # type: ignore[union-attr]  # one of them
            if member in _HOOKS:
                found[name] = member
            elif judge and not (runner and (member in TESTS | GROUPS or not member)):
                found[name] = "assert" + (f".{member}" if member and member not in ("expect", "assert") else "")
                found[name] = "expect" if member == "expect" or origin == "expect" else found[name]
            elif runner:
                found[name] = member or ("test" if name not in TESTS | GROUPS else name)
        return found

    def _hoist(self, scope: Scope) -> None:
        """Functions and values of the file's own, wherever in it they are made."""
        script, seen, depth = self.script, Counter[str](), 0
        for index in range(len(script.words)):
            mark = script.text(index)
            depth += (mark in ("(", "[", "{")) - (mark in (")", "]", "}"))
            if mark == "function" and (known := self.reader.callable(index)) and script.text(index + 1) != "(":
                name = script.text(index + 1 + (script.text(index + 1) == "*"))
                seen[name] += 1
                scope.functions[name] = known
            elif mark in ("const", "let", "var") and not depth:
                self.declare(index, scope)
        for name, count in seen.items():
            if count > 1:
                scope.functions.pop(name, None)

    def _timeout(self) -> float | None:
        script = self.script
        for name, _, end in script.paths():
            if name in ("jest.setTimeout", "this.timeout", "vi.setConfig") and script.text(end) == "(":
                numbers = [word.text for word in script.words[end : script.closing(end)] if word.kind == "number"]
                if numbers:
                    return _milliseconds(numbers[0])
        return None

    def name(self, index: int, state: State) -> int:
        """A test, a group, a hook, a claim, a function of the tests' own, or a name that gets a value."""
        script = self.script
        if script.words[index].kind != "name":
            return index + 1
        name, place = script.path(index, resolve=False)
        head, *way = name.split(".")
        told = self.heads.get(head, head)
        block = told.partition(".")[0] in TESTS | GROUPS or way[-1:] == ["test"]
        if block and (after := self._block(index, place, [*told.split("."), *way], state)):
            return after
        if told in _HOOKS and script.text(place) == "(":
            return self._hook(place, state)
        if state.test is None and not told.startswith(("expect", "assert")):
            return self._other(index, place, name, state)
        claims = told.partition(".")[0] in _EXPECTING or self._tells(name)
        if claims and (after := self._expectation(index, told, way, state)):
            return after
        return self._other(index, place, name, state)

    def _other(self, index: int, place: int, name: str, state: State) -> int:
        """A function of the tests' own that is called, something that is replaced, or a name that gets a value."""
        script = self.script
        if _MOCKS.search(name) and script.text(place) == "(":
            test = state.test or self.tests.setdefault(OUTSIDE, ScriptTest(OUTSIDE, script.words[index].line))
            test.mocks.update(" ".join(words[:8]) for words in self.reader.arguments(place, state.scope)[:1])
        if script.text(place) == "(" and (known := state.scope.functions.get(name)) is not None:
            return self._own(place, known, state)
        if script.text(place) == "=" and "." not in name and self._starts(index):
            stop = self.reader.expression_end(place + 1)
            self.reader.bind(index, self.reader.text(place + 1, stop, state.scope), state.scope)
            return place + 1
        return place

    def _starts(self, index: int) -> bool:
        return self.script.words[index].fresh or self.script.text(index - 1) in (";", "{", "}", "=>", ")")

    def _own(self, place: int, known: Callable, state: State) -> int:
        """A function of the tests' own: its claims are the test's, and so are those of functions that it is given."""
        if state.depth >= MOST_DEPTH:
            return place + 1
        scope = self.reader.bound(known, self.reader.arguments(place, state.scope), state.scope)
        self.walk(*known.body, replace(state, scope=scope, depth=state.depth + 1, level=state.level + 1))
        for start, stop in self.reader.spans(place):
            if self.reader.callable(start) is not None:
                self.walk(start, stop, state.inner(dead=state.dead or self._forgets(known)))
        return self.script.closing(place) + 1

    def _forgets(self, known: Callable) -> bool:
        """Whether a function does not call what it is given, or catches what that throws."""
        script, (start, end) = self.script, known.body
        names = {script.text(at) for at in range(*known.parameters)}
        body = [script.text(at) for at in range(start, end)]
        caught = any(
            (script.text(at) == "try" and self.swallowed(script.closing(at + 1)))
            or (script.text(at) == "catch" and script.text(at - 1) == ".")
            for at in range(start, end)
        )
        return caught or not names & set(body)

    def _hook(self, place: int, state: State) -> int:
        """What a hook gives to names is there in every test after it."""
        known = self.reader.callable(place + 1)
        if known is not None:
            self.walk(*known.body, replace(state, test=None, level=state.level + 1))
        return self.script.closing(place) + 1

    def _block(self, index: int, place: int, told: list[str], state: State) -> int:
        """A test or a group; 0 where it is none."""
        script, table = self.script, None
        if told[-1] in _TABLES:
            table = self.reader.text(place + 1, script.closing(place), state.scope)
            place = script.closing(place) + 1 if script.text(place) == "(" else self._after_template(place)
        title = self._title(place + 1, state.scope) if script.text(place) == "(" else None
        if title is None or (told[-1] in _SILENT and told[-1].endswith("If") and table is None):
            return 0
        stop, name = script.closing(place), " > ".join((*state.group, title))
        inner = state.inner(
            silent=state.silent or _off(told) or self._switched_off(place),
            only=state.only or "only" in told or told[0] in ("fit", "ftest", "fdescribe"),
        )
        if told[0] in GROUPS:
            inner.group = (*state.group, title)
        elif state.test is None:
            inner.test = self._test(name, (place, stop), inner)
        elif inner.silent and not state.silent:
            inner.dead = True
        callback = next((at for at, _ in self.reader.spans(place) if self.reader.callable(at)), 0)
        known = self.reader.callable(callback) if callback else None
        if known is not None and table is None and told[0] not in GROUPS:
            self._given(known)
        if table is not None and known is not None:
            patterns = [first for first, _ in self.patterns(known)]
            self.rows(table, patterns, known.body, inner, split=told[-1] == "each")
        else:
            self.walk(place + 1, stop, inner)
        if inner.test is not None and inner.test is not state.test and not inner.test.expectations:
            span = known.body if known is not None else (place + 1, stop)
            words = self.reader.text(*span, state.scope)
            inner.test.expectations.append(Expectation(words, DOES, (), script.words[index].line))
        return stop + 1

    def _given(self, known: Callable) -> None:
        """What a test is given by its runner: an object, or assertions taken out of it."""
        for start, end in self.patterns(known)[:1]:
            if self.script.text(start) == "{":
                taken = {self.script.text(at) for at in range(start, end)} & MATCHERS
                self.heads |= {name: f"assert.{name}" for name in taken}
            elif re.match(r"^[a-z]\w{0,7}$", self.script.text(start)) and self.script.text(start) != "done":
                self.contexts.add(self.script.text(start))

    def _tells(self, name: str) -> bool:
        """Whether a name is an assertion of the test's own context: ``t.is``, ``t.assert.equal``."""
        head, *way = name.split(".")
        return head in self.contexts and bool(way) and ("assert" in way or way[-1] in MATCHERS)

    def _after_template(self, place: int) -> int:
        """The bracket after the table of a tagged template."""
        script = self.script
        return next((at for at in range(place, min(place + 200, len(script.words))) if script.text(at) == "("), place)

    def _switched_off(self, place: int) -> str:
        """What in the options of a test keeps it from running."""
        for start, end in list(self.reader.spans(place))[1:2]:
            if self.script.text(start) != "{":
                continue
            for at in range(start, end):
                if self.script.text(at) in ("skip", "todo") and self.script.text(at + 1) == ":":
                    value = self.script.words[at + 2]
                    return "" if value.text == "false" else f"{self.script.text(at)}: {value.text}"
        return ""

    def _test(self, name: str, span: tuple[int, int], state: State) -> ScriptTest:
        script, (start, stop) = self.script, span
        test = self.tests.setdefault(name, ScriptTest(name, script.words[start].line))
        test.silent, test.only = state.silent, test.only or state.only
        if script.words[stop - 1].kind == "number" and script.text(stop - 2) == ",":
            test.timeout = _milliseconds(script.words[stop - 1].text)
        words = script.source(start, stop)
        if option := re.search(r"\btimeout : (\d+)", words):
            test.timeout = float(option[1])
        if _SKIPPING.search(words):
            test.silent = test.silent or "skip()"
        return test

    def _title(self, index: int, scope: Scope) -> str | None:
        if index < len(self.script.words) and self.script.words[index].kind in ("string", "template"):
            return self.script.words[index].text
        name = self.script.text(index)
        if not re.match(r"^[\w$]+$", name) or self.script.text(index + 1) != ",":
            return None
        return " ".join(scope.values.get(name, (name,)))

    def _expectation(self, index: int, told: str, way: list[str], state: State) -> int:
        script, reader = self.script, self.reader
        first = script.path(index, resolve=False)[1]
        if script.text(first) != "(" and not way:
            return 0
        held = None
        place = first
        matcher = ".".join(way)
        if told == "expect" and not way:
            held = reader.arguments(first, state.scope)
            place, matcher = self._matcher(script.closing(first) + 1)
        called = script.text(place) == "("
        given = reader.arguments(place, state.scope) if called else []
        end = script.closing(place) + 1 if called else place
        if held is None and not called:
            return end
        test = state.test or self.tests.setdefault(OUTSIDE, ScriptTest(OUTSIDE, script.words[index].line))
        subject, said, expected = claim(told, matcher, given=given, held=held)
        waited = said.rpartition(".")[2] not in ("rejects", "doesNotReject")
        unheard = not waited and script.text(index - 1) in (";", "{", "}", "void")
        dead = state.dead or is_vacuous(subject, said, expected) or unheard or self._caught(end)
        self.left[0] -= 1
        if self.left[0] > 0:
            line = script.words[index].line
            loose = script.text(index) in self.loose
            found = Expectation(subject, said, expected, line, dead, state.guards, state.row, loose)
            test.expectations.append(found)
        return end

    def _caught(self, end: int) -> bool:
        """Whether what is thrown here ends in a ``.catch`` that forgets it."""
        script = self.script
        place = end
        while script.text(place) in (")", "}", ";") and place < end + 6:
            place += 1
        if place == end or script.text(place) != "." or script.text(place + 1) != "catch":
            return False
        body = {script.text(at) for at in range(place + 2, script.closing(place + 2))}
        return not body & {"throw", "fail", "assert", "expect", "done", "reject"}

    def _matcher(self, index: int) -> tuple[int, str]:
        """Where the last call of a chain starts, and the names on the way."""
        script, names = self.script, list[str]()
        while script.text(index) == "." and script.text(index + 1):
            names.append(script.text(index + 1))
            index += 2
            after = script.closing(index) + 1
            if script.text(index) == "(" and script.text(after) == "." and script.text(after + 1):
                index = after
        return index, ".".join(names)


def _off(told: list[str]) -> str:
    if told[0].startswith("x"):
        return told[0]
    return next((f"{told[0]}.{part}" for part in told[1:] if part in _SILENT), "")


def _milliseconds(text: str) -> float:
    digits = re.sub(r"[^\d.]", "", text)
    return float(digits) if re.fullmatch(r"\d+(\.\d*)?|\.\d+", digits) else 0.0


@lru_cache(maxsize=64)
def script_suite(data: bytes, *, path: str = "") -> ScriptSuite:
    """A test file made ready; it is kept for whoever asks next, so nobody may change it."""
    return ScriptSuite(data, path=path)
