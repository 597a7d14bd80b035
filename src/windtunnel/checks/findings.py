"""Findings out of whatever a linter wrote: bounded, printable, with paths relative to the project."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Literal, TypeAlias

from windtunnel.core.tool import PLACE, Output, Reading
from windtunnel.core.trial import Channel, LintResult

Severity: TypeAlias = Literal["error", "warning", "note"]

MOST_FINDINGS = 20_000
"""Findings kept of one run; the rest is counted in a note."""
MOST_MESSAGE = 1000
"""Characters kept of one message."""

_MOST_NUMBER = 10**9
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[@-~]?")
# Control and direction characters: they would move the cursor or reorder the words of whoever prints a message.
_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\N{LINE SEPARATOR}\N{PARAGRAPH SEPARATOR}"
    "\N{LEFT-TO-RIGHT EMBEDDING}-\N{RIGHT-TO-LEFT OVERRIDE}"
    "\N{LEFT-TO-RIGHT ISOLATE}-\N{POP DIRECTIONAL ISOLATE}\ud800-\udfff]"
)


def words(value: object, *, most: int = MOST_MESSAGE) -> str:
    """Text without colours and control characters; nothing for what is no text."""
    return _CONTROLS.sub("", _ESCAPES.sub("", value[: 2 * most])).strip()[:most] if isinstance(value, str) else ""


def decoded(data: bytes) -> str:
    """Output as text, whatever its bytes are."""
    return data.decode("utf-8", "replace")


def relative(value: object) -> str | None:
    """A path below the project as it is spelled there; another absolute path stays as it is."""
    path = words(value, most=4096)
    path = path.removeprefix(f"{PLACE}/")
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    return path or None


def number(value: object) -> int | None:
    """A line or column from JSON or text, counted from one; None for what is none."""
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= len(str(_MOST_NUMBER)):
        value = int(value)
    return value if type(value) is int and 0 < value < _MOST_NUMBER else None


def from_zero(value: object) -> int | None:
    """A line or column of a tool that counts from zero."""
    return number(value + 1) if type(value) is int else None


def parsed(data: bytes | str) -> object:
    """A JSON document; None when it is none, however deep or long it is."""
    try:
        document: object = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return document


def objects(value: object) -> list[dict[str, object]]:
    """The JSON objects of a list; nothing for what is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def below(value: object, *names: str) -> object:
    """What lies at a path of names in a JSON object; None when any step is missing."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def read(
    output: Output, found: Iterable[LintResult] | None, *, channel: Channel = Channel.STREAM,
    usual: Sequence[int] = (0, 1),
) -> Reading:
    """A linter's reading; ``found`` is None when its output could not be understood.

    A run that ended with an exit code other than the usual ones, or that failed without naming a finding, has not
    judged the project: only its exit code is known then, and a note says what it wrote last.
    """
    findings, notes = bounded(found or ())
    silent = output.exit_code != 0 and not findings
    if found is None or silent or output.exit_code not in usual:
        return Reading(channel=channel if findings else Channel.EXIT_CODE, findings=findings,
                       notes=(*notes, _broken(output)))
    return Reading(channel=channel, findings=findings, notes=notes)


def bounded(found: Iterable[LintResult]) -> tuple[tuple[LintResult, ...], tuple[str, ...]]:
    """The first findings, and a note when there were more."""
    stream = iter(found)
    kept = tuple(islice(stream, MOST_FINDINGS))
    more = sum(1 for _ in stream)
    return kept, ((f"{more} more findings were left out",) if more else ())


def _broken(output: Output) -> str:
    said = [words(line) for line in decoded(output.stderr[-4096:] or output.stdout[-4096:]).splitlines()]
    last = next((line for line in reversed(said) if line), "it said nothing")
    return f"could not be read (exit code {output.exit_code}): {last}"
