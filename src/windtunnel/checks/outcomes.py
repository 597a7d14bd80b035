"""Test results out of whatever a runner wrote: bounded, printable, one for each id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from windtunnel.checks.findings import decoded, parsed, words
from windtunnel.core.trial import ExecutionTestResult, Status

MOST_MESSAGE = 4000
"""Characters kept of one message: the first half and the last."""
MOST_NAME = 500
MOST_TESTS = 100_000
"""Tests read of one output."""
MOST_LINE = 16 * 1024
"""Bytes read of one line that is no JSON; the rest of a longer one is left out."""

DIFFERENT = "reported with different results, the worst counts"

_FEW = 5
_MOST_SECONDS = 10**9
_WORST_FIRST = (Status.ERROR, Status.FAILED, Status.SKIPPED, Status.XFAILED, Status.XPASSED, Status.PASSED)


def text(value: object) -> str:
    """A value of someone's JSON as text, as it is; empty when it is none."""
    return value if isinstance(value, str) else ""


def message(said: str) -> str:
    """The head and tail of a text, fit to be shown."""
    said = words(said, most=max(len(said), 1))
    if len(said) <= MOST_MESSAGE:
        return said
    return f"{said[: MOST_MESSAGE // 2]}\n[…]\n{said[-MOST_MESSAGE // 2 :]}"


def name(said: str) -> str:
    """A name on one line, of bounded length."""
    return " ".join(words(said, most=MOST_NAME).split())


def lines(data: bytes) -> Iterator[str]:
    """The lines as printable text, with the blanks before but not those after."""
    for line in data.split(b"\n"):
        yield _line(line)


def json_lines(data: bytes) -> Iterator[dict[str, object] | str]:
    """Line by line: the JSON object that it is, or else its text."""
    for line in data.split(b"\n"):
        found = parsed(line) if line.startswith(b"{") else None
        yield found if isinstance(found, dict) else _line(line)


def _line(line: bytes) -> str:
    said = decoded(line[:MOST_LINE])
    blanks = said[: len(said) - len(said.lstrip(" \t"))]
    return blanks + words(said, most=MOST_LINE)


def seconds(value: object) -> float:
    """A duration, also one written ``1,234.5``; zero for what is none."""
    try:
        found = float(value.replace(",", "")) if isinstance(value, str) else value
    except ValueError:
        return 0.0
    return float(found) if isinstance(found, float | int) and 0 < found < _MOST_SECONDS else 0.0


def worst(tests: Iterable[ExecutionTestResult]) -> tuple[tuple[ExecutionTestResult, ...], tuple[str, ...]]:
    """One result for each id, the worst it was given, and notes about ids that were given different ones."""
    kept: dict[str, ExecutionTestResult] = {}
    twice: list[str] = []
    for test in tests:
        before = kept.setdefault(test.id, test)
        if before.status is not test.status:
            twice.append(test.id)
            kept[test.id] = min(before, test, key=lambda one: _WORST_FIRST.index(one.status))
    return tuple(kept.values()), ((f"{DIFFERENT}: {named(twice)}",) if twice else ())


def named(ids: Iterable[str]) -> str:
    """A few of many names."""
    once = list(dict.fromkeys(ids))
    return ", ".join(once[:_FEW]) + (f" and {len(once) - _FEW} more" if len(once) > _FEW else "")


def broken(id_: str, said: str, *, tool: str, category: str) -> ExecutionTestResult:
    """What could not be run to its end, as a result of its own."""
    return ExecutionTestResult(
        id=id_, status=Status.ERROR, message=message(said) or "failed without a word", category=category, tool=tool)
