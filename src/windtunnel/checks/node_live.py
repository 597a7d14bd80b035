"""What the test runners for JavaScript share: the reporters that go inside, the choice of tests, the reading."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

from windtunnel.checks.findings import words as printable
from windtunnel.checks.live import read_records
from windtunnel.core.tool import OWN, Ask, Invocation, Output, Reading
from windtunnel.core.trial import Check, ExecutionTestResult, Status

PLACE_INSIDE = f"{OWN}/node"

_SHARED = ("node_preload.cjs", "node_records.cjs", "node_failures.cjs")
_MOST_PATTERN = 60_000
"""Characters of a pattern of names; longer ones do not fit one argument, and whole files are run instead."""
_SPECIAL = re.compile(r"[\\^$.*+?()\[\]{}|/]")
_NUMBER = re.compile(r" #\d+$")
_BETWEEN = " > "
_NOTHING = "no test was executed"


def invocation(
    argv: tuple[str, ...], ask: Ask, *, runner: str, env: dict[str, str], files: Iterable[str],
) -> Invocation:
    """A command whose runner finds its reporter, ready made, at ``PLACE_INSIDE``.

    Node loads our preload before anything of the project; it takes the key from standard input, and itself out of
    the environment.
    """
    inside = {f"node/{name}": _source(name) for name in (*_SHARED, *files)}
    settings = {"runner": runner, "select": ask.select}
    inside["node/settings.json"] = json.dumps(settings).encode()
    options = f"--require={PLACE_INSIDE}/node_preload.cjs {env.get('NODE_OPTIONS', '')}".strip()
    return Invocation(
        argv=argv, files=inside, env={**env, "NODE_OPTIONS": options}, stdin=f"{ask.key}\n".encode(), live=True,
    )  # fmt: skip


def files_of(select: Iterable[str]) -> tuple[str, ...]:
    """The files that these ids lie in, each once, in order."""
    return tuple(dict.fromkeys(name.split(_BETWEEN, 1)[0] for name in select))


def names_of(select: Iterable[str]) -> str | None:
    """A regular expression for the full names of these ids; None when only whole files can be chosen.

    It may match more than was asked for; the reporter leaves out what was not.
    """
    found = []
    for name in select:
        parts = _NUMBER.sub("", name).split(_BETWEEN)[1:]
        if not parts or "\N{HORIZONTAL ELLIPSIS}" in name:
            return None
        found.append("(?: > | )".join(_SPECIAL.sub(r"\\\g<0>", part) for part in parts))
    pattern = f"^ ?(?:{'|'.join(dict.fromkeys(found))})$"
    return pattern if len(pattern) <= _MOST_PATTERN else None


def read(output: Output, check: Check) -> Reading:
    """What the records say; a run without an end, whatever its exit code, has one test that crashed."""
    reading = read_records(output, check)
    end = next((record for record in output.records if record.get("kind") == "end"), None)
    said = end.get("notes") if end is not None else None
    notes = [*reading.notes, *(printable(note) for note in (said if isinstance(said, list) else [])[:10])]
    tests = reading.tests
    if end is None and not any(test.category == "crash" for test in tests):
        tests = (*tests, _cut_short(output, check.tool))
    if not any(_was_executed(test) for test in tests) and _NOTHING not in notes:
        notes.append(_NOTHING)
    return replace(reading, tests=tests, notes=tuple(notes))


@cache
def _source(name: str) -> bytes:
    return (Path(__file__).parent / "inside" / name).read_bytes()


def _was_executed(test: ExecutionTestResult) -> bool:
    broken = test.status is Status.ERROR and test.category in ("crash", "collection", "import")
    return test.status is not Status.SKIPPED and not broken


def _cut_short(output: Output, tool: str) -> ExecutionTestResult:
    message = f"{tool} was cut short: exit code {output.exit_code}, and no word that it came to its end"
    return ExecutionTestResult(id=tool, status=Status.ERROR, message=message, category="crash", tool=tool)
