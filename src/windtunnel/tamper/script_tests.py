"""Two versions of JavaScript or TypeScript tests compared, by their tokens."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from windtunnel.core.trial import TamperFinding
from windtunnel.tamper.paths import is_test
from windtunnel.tamper.rule import MOST_EVIDENCE, Severity
from windtunnel.tamper.script import Script, read_script

_TESTS = {"it", "test", "specify", "fit", "xit", "xtest", "ftest", "xspecify"}
_GROUPS = {"describe", "context", "suite", "fdescribe", "xdescribe", "xcontext"}
_SILENT = {"skip", "todo", "failing", "fails", "fixme"}
_STRONG = {
    "toBe",
    "toEqual",
    "toStrictEqual",
    "equal",
    "equals",
    "eql",
    "deepEqual",
    "strictEqual",
    "deepStrictEqual",
    "eq",
    "is",
    "toThrowErrorMatchingInlineSnapshot",
    "toMatchInlineSnapshot",
    "true",
    "false",
    "null",
}
_WEAK = {
    "toBeTruthy",
    "toBeFalsy",
    "toBeDefined",
    "toContain",
    "toMatch",
    "toBeInstanceOf",
    "toBeGreaterThan",
    "toBeLessThan",
    "toBeGreaterThanOrEqual",
    "toBeLessThanOrEqual",
    "toMatchObject",
    "toHaveLength",
    "toBeCloseTo",
    "toHaveProperty",
    "ok",
    "exist",
    "include",
    "contain",
    "a",
    "an",
    "match",
    "above",
    "below",
    "toContainEqual",
    "toBeNull",
    "toBeUndefined",
}
_RAISING = {"throws", "rejects", "toThrow", "toThrowError", "throw"}
_DECLARED = ("const", "let", "var")
_RUNNERS = re.compile(
    r"^(test|assert(/strict)?|chai|expect|vitest|@jest/globals|mocha|ava|tap|@playwright/test|uvu)(\.|$)"
)
"""Modules that run or judge tests."""
MOST_VALUE = 60
"""Tokens that a variable is replaced with."""


@dataclass(slots=True)
class Expectation:
    """One ``expect(...)`` or ``assert...(...)``."""

    subject: str
    matcher: str
    expected: str
    line: int
    dead: bool = False

    @property
    def key(self) -> str:
        """The same for the same expectation, wherever it stands."""
        return f"{self.subject} {self.matcher} {self.expected}"


@dataclass(slots=True)
class ScriptTest:
    """One ``it`` or ``test`` block."""

    name: str
    line: int
    silent: str = ""
    only: bool = False
    timeout: float | None = None
    expectations: list[Expectation] = field(default_factory=list)
    rows: Counter[str] = field(default_factory=Counter)

    @property
    def live(self) -> list[Expectation]:
        """Those that can fail."""
        return [each for each in self.expectations if not each.dead]


class ScriptSuite:
    """A test file made ready for comparison."""

    def __init__(self, text: str) -> None:
        """Read every block once."""
        self.script = Script(text)
        self.values = self._values()
        self.tests: dict[str, ScriptTest] = {}
        self.timeout = self._timeout()
        self._blocks(0, len(self.script.words), group=(), silent="")
        self.only = any(test.only for test in self.tests.values())

    def _values(self) -> dict[str, str]:
        """What a ``const`` stands for, where its name is declared once."""
        script, found, seen = self.script, dict[str, str](), Counter[str]()
        for index, word in enumerate(script.words):
            if word.kind == "name" and word.text in _DECLARED and script.text(index + 2) == "=":
                name, end = script.text(index + 1), index + 3
                while (
                    end < min(len(script.words), index + MOST_VALUE)
                    and script.text(end) != ";"
                    and not (
                        script.words[end].fresh and end > index + 3 and script.text(end) not in (".", "+", "?", ":")
                    )
                ):
                    end = script.closing(end) + 1 if script.text(end) in ("(", "[", "{") else end + 1
                seen[name] += 1
                if word.text == "const" and end - index < MOST_VALUE:
                    found[name] = self._text(index + 3, end)
        return {name: value for name, value in found.items() if seen[name] == 1}

    def _text(self, start: int, end: int) -> str:
        """Tokens in canonical form: quotes, spaces and hanging commas do not matter."""
        script, parts = self.script, []
        for index in range(start, min(end, len(script.words))):
            word = script.words[index]
            if word.text == "," and script.text(index + 1) in (")", "]", "}"):
                continue
            if word.kind == "string":
                parts.append(repr(word.text))
            elif word.kind == "name" and script.text(index - 1) != ".":
                parts.append(getattr(self, "values", {}).get(word.text, word.text))
            else:
                parts.append(word.text)
        return " ".join(parts)

    def _timeout(self) -> float | None:
        script = self.script
        for name, _, end in script.paths():
            if name in ("jest.setTimeout", "this.timeout", "vi.setConfig") and script.text(end) == "(":
                numbers = [word.text for word in script.words[end : script.closing(end)] if word.kind == "number"]
                if numbers:
                    return float(numbers[0])
        return None

    def _blocks(self, start: int, end: int, *, group: tuple[str, ...], silent: str) -> None:
        script, index = self.script, start
        while index < end:
            name, place = (
                script.path(index, resolve=False)
                if script.words[index].kind == "name" and (script.text(index - 1) != ".")
                else ("", index + 1)
            )
            parts = name.split(".")
            if parts[0] not in _TESTS | _GROUPS or script.text(place) not in ("(", ""):
                index += 1
                continue
            rows = Counter[str]()
            if parts[-1] in ("each", "skipIf", "runIf", "for"):
                stop = script.closing(place) if script.text(place) == "(" else place
                rows = self._rows(place, stop)
                place = stop + 1
            title = self._title(place + 1)
            if script.text(place) != "(" or title is None:
                index += 1
                continue
            stop = script.closing(place)
            off = self._off(parts) or silent
            if parts[0] in _GROUPS:
                self._blocks(place + 1, stop, group=(*group, title), silent=off)
            else:
                self._test(
                    " > ".join((*group, title)),
                    (place, stop),
                    silent=off,
                    only="only" in parts or parts[0] in ("fit", "ftest"),
                )
                self.tests[" > ".join((*group, title))].rows = rows
            if parts[0] in _GROUPS and ("only" in parts or parts[0] == "fdescribe"):
                for test in self.tests.values():
                    test.only = test.only or test.name.startswith(" > ".join((*group, title)))
            index = stop + 1

    def _title(self, index: int) -> str | None:
        if index < len(self.script.words) and self.script.words[index].kind in ("string", "template"):
            return self.script.words[index].text
        name = self.script.text(index)
        return (
            self.values.get(name, name) if re.match(r"^[\w$]+$", name) and self.script.text(index + 1) == "," else None
        )

    @staticmethod
    def _off(parts: list[str]) -> str:
        if parts[0].startswith("x"):
            return parts[0]
        return next((f"{parts[0]}.{part}" for part in parts[1:] if part in _SILENT), "")

    def _rows(self, start: int, end: int) -> Counter[str]:
        found, index = Counter[str](), start + 2
        while index < end:
            stop = self.script.closing(index) + 1 if self.script.text(index) in ("[", "{", "(") else index + 1
            if self.script.text(index) != ",":
                found[self._text(index, stop)] += 1
            index = stop
        return Counter({row: count for row, count in found.items() if row not in ("]", ")")})

    def _test(self, name: str, span: tuple[int, int], *, silent: str, only: bool) -> None:
        start, stop = span
        script = self.script
        test = ScriptTest(name=name, line=script.words[start].line, silent=silent, only=only)
        if script.words[stop - 1].kind == "number" and script.text(stop - 2) == ",":
            test.timeout = float(re.sub(r"[^\d.]", "", script.words[stop - 1].text) or 0)
        for dead_start, dead_stop, place in self._expectations(start, stop):
            test.expectations.append(self._read(dead_start, dead_stop, dead=place))
        words = self._text(start, stop)
        if re.search(r"\bthis \. skip \(|\b(t|ctx|context) \. skip \(", words):
            test.silent = test.silent or "skip()"
        self.tests[name] = test

    def _expectations(self, start: int, stop: int) -> Iterator[tuple[int, int, bool]]:
        """Where expectations start and end, and whether they can still fail."""
        script, dead_until = self.script, -1
        depth = 0
        for index in range(start, stop):
            word = script.text(index)
            depth += (word == "{") - (word == "}")
            if word == "try" and script.text(index + 1) == "{" and self._swallowed(index + 1):
                dead_until = max(dead_until, script.closing(index + 1))
            elif word == "if" and script.words[index + 2].text in ("false", "0") and script.text(index + 3) == ")":
                dead_until = max(dead_until, script.closing(index + 4))
            elif word == "return" and depth == 1 and (script.text(index + 1) == ";" or script.words[index + 1].fresh):
                dead_until = stop
            elif word in ("expect", "assert", "should", "chai", "t") and script.text(index - 1) not in (
                ".",
                "function",
            ):
                end = self._chain(index + 1)
                if end > index + 1 and (word != "t" or script.text(index + 1) == "."):
                    yield index, end, index < dead_until

    def _swallowed(self, index: int) -> bool:
        end = self.script.closing(index)
        if self.script.text(end + 1) != "catch":
            return False
        place = end + 2
        if self.script.text(place) == "(":
            place = self.script.closing(place) + 1
        body = {self.script.text(each) for each in range(place, self.script.closing(place))}
        return not body & {"throw", "expect", "fail", "assert", "done"}

    def _chain(self, index: int) -> int:
        while True:
            if self.script.text(index) == "(":
                index = self.script.closing(index) + 1
            elif self.script.text(index) == "." and self.script.text(index + 1):
                index += 2
            else:
                return index

    def _read(self, start: int, end: int, *, dead: bool) -> Expectation:
        """Subject, matcher and what is expected, of one chain."""
        script = self.script
        last = end - 1
        opening = last
        if script.text(last) == ")":
            depth = 0
            while opening > start:
                depth += (script.text(opening) in (")", "]", "}")) - (script.text(opening) in ("(", "[", "{"))
                if not depth:
                    break
                opening -= 1
        else:
            opening = end
        first = start + 1
        if script.text(start) == "expect" and script.text(first) == "(":
            close = script.closing(first)
            matcher = self._text(close + 1, opening).replace(" ", "").strip(".")
            subject, expected = self._text(first + 1, close), self._text(opening + 1, last)
        else:
            comma = self._comma(opening + 1, last)
            matcher = self._text(start, opening).replace(" ", "")
            subject, expected = self._text(opening + 1, comma), self._text(comma + 1, last)
        vacuous = matcher.rpartition(".")[2] in _STRONG and subject == expected and bool(expected)
        return Expectation(subject, matcher, expected, script.words[start].line, dead or vacuous)

    def _comma(self, start: int, end: int) -> int:
        index = start
        while index < end and self.script.text(index) != ",":
            index = self.script.closing(index) + 1 if self.script.text(index) in ("(", "[", "{") else index + 1
        return min(index, end)


def _matcher(each: Expectation) -> tuple[bool, str]:
    return ".not." in f".{each.matcher}.", each.matcher.rpartition(".")[2]


def _at_least(old: Expectation, new: Expectation) -> bool:
    (denied, before), (denied_now, after) = _matcher(old), _matcher(new)
    if new.dead or old.subject != new.subject:
        return False
    if after in _STRONG and not denied_now and (before in _WEAK or denied):
        return True
    if before == after and before in _RAISING and denied == denied_now:
        kind, shape = re.match(r"^[\w.]+$", old.expected), new.expected.replace(" ", "")
        return not old.expected or bool(kind and re.match(rf"^{{(.*,)?name:'{old.expected}'[,}}]", shape))
    return (
        old.expected == new.expected
        and denied == denied_now
        and before in _STRONG
        and after in _STRONG
        and (after != "toBe" or before == "toBe" or not new.expected.startswith(("{", "[")))
    )


def _finding(
    rule: str, message: str, *, path: str, line: int = 0, severity: Severity = "block", evidence: str = ""
) -> TamperFinding:
    return TamperFinding(
        rule=rule, message=message, path=path, line=line or None, severity=severity, evidence=evidence[:MOST_EVIDENCE]
    )


def script_pool(pairs: Mapping[str, tuple[bytes | None, bytes | None]]) -> Counter[str]:
    """Expectations that are new somewhere in the change."""
    made = Counter[str]()
    for before, after in pairs.values():
        old, new = (ScriptSuite((data or b"").decode("utf-8", "replace")) for data in (before, after))
        for test in new.tests.values():
            if not test.silent:
                twin = old.tests.get(test.name)
                made += Counter(each.key for each in test.live) - Counter(
                    each.key for each in (twin.live if twin else ())
                )
    return made


def _lost(
    old: ScriptTest, new: ScriptTest | None, spare: Counter[str]
) -> Iterator[tuple[Expectation, list[Expectation]]]:
    have = Counter(each.key for each in new.live) if new else Counter[str]()
    missing = []
    for each in old.live:
        if have[each.key] > 0:
            have[each.key] -= 1
        else:
            missing.append(each)
    fresh = [each for each in (new.expectations if new else []) if each.dead or have[each.key] > 0]
    for each in missing:
        stronger = next((one for one in fresh if _at_least(each, one)), None)
        if stronger is not None:
            fresh.remove(stronger)
        elif spare[each.key] > 0:
            spare[each.key] -= 1
        else:
            yield each, fresh


def _describe(lost: Expectation, fresh: list[Expectation]) -> tuple[str, str]:
    for each in fresh:
        if each.key == lost.key:
            return "assert-disabled", f"no longer has to hold: {lost.key}"
        if each.subject == lost.subject and each.matcher == lost.matcher:
            return "expected-changed", f"expected {lost.expected}, now {each.expected}"
    if any(each.subject == lost.subject for each in fresh):
        return "assert-weakened", f"holds for more than before: {lost.key}"
    return "assert-removed", f"no longer claimed: {lost.key}"


def _tabled(lost: Expectation, new: ScriptTest) -> bool:
    """Whether its values stand in a row of a table that the test now walks."""
    values = set(re.findall(r"'[^']*'|\b\d+(?:\.\d+)?\b", f"{lost.subject} {lost.expected}"))
    return bool(values) and any(values <= set(re.findall(r"'[^']*'|\b\d+(?:\.\d+)?\b", row)) for row in new.rows)


def compare_script(
    path: str, old: bytes, new: bytes | None, *, spare: Counter[str] | None = None
) -> Iterator[TamperFinding]:
    """What the new version of a test file no longer demands."""
    was, now = (ScriptSuite((data or b"").decode("utf-8", "replace")) for data in (old, new))
    spare = spare if spare is not None else script_pool({path: (old, new)})
    for test in was.tests.values():
        twin = now.tests.get(test.name)
        if twin is None:
            if list(_lost(test, None, spare)) or not test.live:
                yield _finding("test-deleted", f"{test.name} is gone", path=path, evidence=test.name)
        else:
            yield from _pair(test, twin, path=path, spare=spare)
    yield from _replaced(path, old, new)
    if now.only and not was.only and any(not test.only for test in now.tests.values()):
        yield _finding("test-skipped", "`only` keeps the other tests of the file from running", path=path)
    if was.timeout is not None and now.timeout is not None and now.timeout > was.timeout:
        yield _finding("timeout-raised", f"tests may take {now.timeout:g} ms instead of {was.timeout:g}", path=path)


def _replaced(path: str, old: bytes, new: bytes | None) -> Iterator[TamperFinding]:
    """A test function or an assertion that came from the runner and now comes from the product."""
    before, after = (read_script(data or b"").aliases for data in (old, new))
    for name, module in before.items():
        now = after.get(name, "")
        if _RUNNERS.match(module) and now.startswith("."):
            place = re.match(r"^[./]*(.*?\.\w+)(\.\w+)?$", now)
            own = is_test(place[1] if place else now) or not now.startswith("..")
            message = f"{name} came from {module.partition('.')[0]} and now comes from {now}"
            yield _finding(
                "runner-replaced", message, path=path, severity="show" if own else "block", evidence=f"{name}: {now}"
            )


def _pair(old: ScriptTest, new: ScriptTest, *, path: str, spare: Counter[str]) -> Iterator[TamperFinding]:
    if new.silent and not old.silent:
        yield _finding("test-skipped", f"{old.name} is now silenced", path=path, line=new.line, evidence=new.silent)
    for row in (old.rows - new.rows).elements():
        yield _finding("case-removed", f"{old.name} no longer tries {row}", path=path, line=new.line, evidence=row)
    for lost, fresh in _lost(old, new, spare):
        if not _tabled(lost, new):
            rule, message = _describe(lost, fresh)
            yield _finding(rule, f"{old.name}: {message}", path=path, line=new.line, evidence=lost.key)
    if new.timeout is not None and new.timeout > (old.timeout or float("inf")):
        yield _finding(
            "timeout-raised",
            f"{old.name} may take {new.timeout:g} ms instead of {old.timeout:g}",
            path=path,
            line=new.line,
        )
