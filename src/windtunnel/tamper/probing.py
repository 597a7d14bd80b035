"""Copies of tests that tell what the changed files are called with.

What a test gives to a function may stand in a fixture, a table, a helper or a constant; at the call it is there. So a
file of tests begins with a script that listens, in children of its own, and asks each call of a test again with other
arguments; see ``inside/windtunnel_probe``. ``probed`` reads what comes of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FIRST = 1000
"""The number of the first copy that tells what was heard."""
PARTS = 4
"""Messages in which it is told; runners cut long ones."""
MOST_SECONDS = 4.0
"""Of the processor, for what is asked again in one file of tests; the script keeps to it."""
MOST_OTHER_TESTS = 6
"""Tests that the change does not mend, which are heard too: they show how a function answers otherwise."""
MOST_PROBED = 12
_SCRIPT = Path(__file__).parent / "inside" / "windtunnel_probe.py"
_TELLING = "windtunnel_telling"
_HEAD = """{name} = {{"__name__": "windtunnel_probe"}}
exec(compile({source!a}, "windtunnel_probe", "exec"), {name})
{name}["FILES"][:] = {files!a}
{name} = {name}["telling"]
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A copy of a test that ends with a part of what was heard during it."""

    number: int
    part: int
    test: str
    line: int
    mended: bool


def listening(files: Sequence[str]) -> str:
    """What a file of tests begins with, so that it hears the calls of these files of the project."""
    return _HEAD.format(name=_TELLING, source=_script(), files=list(files))


@cache
def _script() -> str:
    return _SCRIPT.read_text(encoding="utf-8")


def decorator(part: int) -> str:
    """What makes a copy tell a part of it."""
    return f"@{_TELLING}({part})"


def probes(tests: Iterable[tuple[str, int, bool]]) -> list[Probe]:
    """The copies for these tests, by name, line and whether the change mends them."""
    chosen, others = list[tuple[str, int, bool]](), 0
    for name, line, mended in tests:
        others += not mended
        if mended or others <= MOST_OTHER_TESTS:
            chosen.append((name, line, mended))
    chosen = sorted(chosen, key=lambda each: not each[2])[:MOST_PROBED]
    return [Probe(number=FIRST + at * PARTS + part, part=part, test=name, line=line, mended=mended)
            for at, (name, line, mended) in enumerate(chosen) for part in range(PARTS)]
