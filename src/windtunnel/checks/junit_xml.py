"""JUnit XML, as pytest, surefire, Gradle, jest-junit and gotestsum write it.

Read with the rules of a hostile document: a document type is refused, so there are no entities to expand or to
fetch; size, depth and number of tests are bounded; nothing raises. A file that breaks off gives the tests that were
complete, and a note. Whoever could write the file could write anything into it: nothing here can tell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from xml.parsers import expat

from windtunnel.checks.findings import number, relative
from windtunnel.checks.outcomes import MOST_TESTS, message, name, named, seconds, worst
from windtunnel.core.trial import ExecutionTestResult, Status

MOST_BYTES = 64 * 1024 * 1024
"""Of one report."""
MOST_DEPTH = 64
MOST_TEXT = 64 * 1024
"""Characters kept while one failure is read."""

Identify = Callable[[str, str], str]
"""From the class name and the name of a test, its id."""

_MOST_NOTES = 20
_OUTCOMES = ("failure", "error", "skipped")
_FLAKY = ("flakyFailure", "flakyError")
_ERROR_NAME = re.compile(r"(?:[\w$]+\.)*([A-Z][\w$]*)(?::|\s|$)")
_CATEGORIES = (
    ("timeout", re.compile(r"time(d\s*)?out", re.IGNORECASE)),
    ("import", re.compile(r"NoClassDefFound|ClassNotFound|ModuleNotFound|ImportError")),
    ("assertion", re.compile(r"Assert|ComparisonFailure|MultipleFailures|^Failed$|^Failure$")),
)


def double_colon(classname: str, test: str) -> str:
    """``tests.test_a::test_b``."""
    return f"{classname}::{test}" if classname else test


def hash_mark(classname: str, test: str) -> str:
    """``shop.CalcTest#adds``, as Java people write it."""
    return f"{classname}#{test}" if classname else test


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What one or several files say."""

    tests: tuple[ExecutionTestResult, ...] = ()
    """One for each id, the worst it was given."""
    notes: tuple[str, ...] = ()
    count: int = 0
    """Of all test cases, before those with one id became one."""


def read_all(files: Mapping[str, bytes], *, tool: str, identify: Identify = double_colon) -> Report:
    """All files together, in the order of their names."""
    reports = [read(files[path], tool=tool, identify=identify, origin=name(path)) for path in sorted(files)]
    tests, differing = worst(test for report in reports for test in report.tests)
    notes = islice(dict.fromkeys(note for report in reports for note in report.notes), _MOST_NOTES)
    return Report(
        tests=tests, notes=(*notes, *differing), count=sum(report.count for report in reports))


def read(data: bytes, *, tool: str, identify: Identify = double_colon, origin: str = "the report") -> Report:
    """One file; ``origin`` is what notes call it."""
    if len(data) > MOST_BYTES:
        return Report(notes=(f"{origin} is not read: {len(data)} bytes, more than {MOST_BYTES}",))
    document = _Document(tool=tool, identify=identify)
    try:
        _parser(document).Parse(data, True)  # noqa: FBT003 -- expat takes no name for it
    except _Refused as refused:
        document.notes.append(str(refused))
    except (expat.ExpatError, ValueError, LookupError) as broken:
        document.notes.append(f"is broken XML ({broken})")
    if document.flaky:
        document.notes.append(f"names tests that passed only when they were run again: {named(document.flaky)}")
    tests, differing = worst(document.tests)
    notes = tuple(f"{origin} {note}" for note in document.notes)
    return Report(tests=tests, notes=(*notes, *differing), count=len(document.tests))


class _Refused(Exception):
    """The document is not read on."""


def _parser(document: _Document) -> expat.XMLParserType:
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = document.start
    parser.EndElementHandler = document.end
    parser.CharacterDataHandler = document.characters
    parser.StartDoctypeDeclHandler = _refuse_doctype
    parser.EntityDeclHandler = _refuse_doctype
    parser.ExternalEntityRefHandler = _refuse_doctype
    return parser


def _refuse_doctype(*_told: object) -> int:
    raise _Refused("has a document type, which no test report needs: refused")


@dataclass(slots=True)
class _Outcome:
    tag: str
    type: str
    message: str
    text: list[str] = field(default_factory=list)
    room: int = MOST_TEXT

    def words(self) -> str:
        body = "".join(self.text).strip()
        return body if self.message in body else f"{self.message}\n{body}".strip()


@dataclass(slots=True)
class _Document:
    """Takes the elements of a document one by one."""

    tool: str
    identify: Identify
    tests: list[ExecutionTestResult] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    path: list[str] = field(default_factory=list)
    case: dict[str, str] | None = None
    outcomes: list[_Outcome] = field(default_factory=list)
    open: _Outcome | None = None
    flaky: list[str] = field(default_factory=list)
    promised: list[tuple[int, int]] = field(default_factory=list)
    """For each open suite: how many tests it said it has, and how many there were before it."""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.path.append(tag)
        if len(self.path) > MOST_DEPTH:
            raise _Refused(f"is nested deeper than {MOST_DEPTH}: not read on")
        if tag == "testsuite":
            self.promised.append((number(attributes.get("tests")) or 0, len(self.tests)))
        elif tag == "testcase" and self.case is None:
            self.case, self.outcomes = attributes, []
        elif self.case is not None and self.path[-2:-1] == ["testcase"]:
            self._outcome(tag, attributes)

    def _outcome(self, tag: str, attributes: dict[str, str]) -> None:
        if tag in _OUTCOMES:
            self.open = _Outcome(tag, attributes.get("type", ""), attributes.get("message", "")[:MOST_TEXT])
            self.outcomes.append(self.open)
        elif tag in _FLAKY and self.case is not None:
            self.flaky.append(name(self.case.get("name", "")))

    def characters(self, text: str) -> None:
        if self.open is not None and self.open.room > 0:
            self.open.text.append(text[: self.open.room])
            self.open.room -= len(text)

    def end(self, tag: str) -> None:
        self.path.pop()
        if tag in _OUTCOMES:
            self.open = None
        elif tag == "testcase" and "testcase" not in self.path and self.case is not None:
            self._close(self.case)
            self.case = None
        elif tag == "testsuite" and self.promised:
            self._count(*self.promised.pop())

    def _count(self, promised: int, before: int) -> None:
        found = len(self.tests) - before
        if found < promised and len(self.notes) < _MOST_NOTES:
            self.notes.append(f"says it has {promised} tests and has {found}")

    def _close(self, case: dict[str, str]) -> None:
        if len(self.tests) >= MOST_TESTS:
            raise _Refused(f"has more than {MOST_TESTS} tests: not read on")
        decisive = min(self.outcomes, key=lambda outcome: ("error", "failure", "skipped").index(outcome.tag),
                       default=None)
        status = _status(decisive)
        path = relative(case.get("file"))
        self.tests.append(ExecutionTestResult(
            id=name(self.identify(case.get("classname", ""), case.get("name", ""))),
            status=status,
            duration_seconds=seconds(case.get("time")),
            message=message(decisive.words()) if decisive else "",
            path=path,
            line=number(case.get("line")) if path else None,
            category=_category(decisive) if decisive and status.bad else "",
            tool=self.tool,
        ))


def _status(outcome: _Outcome | None) -> Status:
    if outcome is None:
        return Status.PASSED
    if outcome.tag == "skipped":
        return Status.XFAILED if outcome.type == "pytest.xfail" else Status.SKIPPED
    return Status.ERROR if outcome.tag == "error" else Status.FAILED


def _category(outcome: _Outcome) -> str:
    """By the name of what was thrown: its type, or the first word of what is said of it."""
    if outcome.message == "collection failure":
        return "collection"
    match = None if outcome.type else _ERROR_NAME.match(outcome.words()[:1000])
    thrown = outcome.type.rpartition(".")[2] or (match[1] if match else "")
    for category, pattern in _CATEGORIES:
        if pattern.search(thrown):
            return category
    return "exception" if outcome.tag == "error" or thrown.endswith(("Error", "Exception")) else "assertion"
