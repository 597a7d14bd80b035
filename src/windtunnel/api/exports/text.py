"""Words of programs and patches, made harmless for what they are written into; one rule for all formats."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from windtunnel.core.trial import CheckReport, Delta, ExecutionTestResult, SandboxResult

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MOST = 2000


def visible(text: str, *, most: int = _MOST) -> str:
    """On one line, every character that cannot be seen written as its escape: nothing a terminal would obey is left."""
    cut = text if len(text) <= most else f"{text[:most - 1]}…"
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in cut)


def visible_lines(text: str, *, most: int = _MOST) -> str:
    """The same, but line ends and tabs stay."""
    cut = text if len(text) <= most else f"{text[:most - 1]}…"
    return "\n".join(visible(line.replace("\t", "    "), most=2 * most) for line in cut.split("\n"))


def xml_safe(text: str) -> str:
    """Without the characters that XML cannot hold at all, however they are written."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def place(path: str | None, line: int | None = None, column: int | None = None) -> str:
    """``path:line:column``, as far as it is known."""
    return ":".join(str(part) for part in (path, line, column if line is not None else None) if part is not None)


def command(report: CheckReport) -> str:
    """The check as a person would type it."""
    return " ".join(report.check.argv)


def fates(delta: Delta) -> list[tuple[str, tuple[str, ...]]]:
    """Each list of the delta under the words that people read, those that count against a change first."""
    return [
        ("broken", delta.broken), ("new and failing", delta.new_failing), ("vanished", delta.vanished),
        ("silenced", delta.silenced), ("flaky", delta.flaky), ("fixed", delta.fixed), ("new", delta.new),
        ("still failing", delta.still_failing)]


def tests_by_id(result: SandboxResult) -> dict[str, ExecutionTestResult]:
    """Every test of the result; those the verdict rests on win over those that the change proposes."""
    every: Iterable[CheckReport] = (*result.proposed_reports, *result.reports)
    return {test.id: test for report in every for test in report.tests}


def counted(number: int, one: str, *, plural: str | None = None) -> str:
    """``1 test`` or ``2 tests``."""
    return f"{number} {one if number == 1 else plural or one + 's'}"


def line_ranges(lines: Sequence[int], *, most: int = 20) -> str:
    """``lines 3, 7-9``: neighbours together, so many of them at most."""
    spans: list[list[int]] = []
    for line in lines:
        if spans and line == spans[-1][1] + 1:
            spans[-1][1] = line
        else:
            spans.append([line, line])
    shown = [str(first) if first == last else f"{first}-{last}" for first, last in spans]
    more = [f"and {len(shown) - most} more"] if len(shown) > most else []
    return f"line{'s' if len(lines) > 1 else ''} {', '.join(shown[:most] + more)}"
