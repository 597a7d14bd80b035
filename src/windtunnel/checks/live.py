"""What the Python runners share: the files that go inside, and the reading of sealed records."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from windtunnel.checks.words import assignments, started
from windtunnel.core.tool import OWN, Ask, Invocation, Output, Reading
from windtunnel.core.trial import Channel, Check, ExecutionTestResult, Status

_PYTHON = re.compile(r"(?:.*/)?(?:python|pypy)[\d.]*$")
_SHARED = ("windtunnel_seal.py", "windtunnel_guard.py", "windtunnel_trace.py", "windtunnel_alarm.py")
_STATUSES = {status.value: status for status in Status}
_MOST_NOTES = 20
_TAIL_CHARACTERS = 800


def runs(argv: tuple[str, ...], *names: str) -> bool:
    """Whether a command starts one of these programs or modules."""
    return started(argv)[:1] in [(name,) for name in names]


def invocation(
    check: Check, ask: Ask, *, scripts: tuple[str, ...], own: Mapping[str, bytes] | None = None,
) -> Invocation:
    """The check's command by way of the first script, which seals its records with the key it gets on its input.

    ``own`` are the scripts' contents where they are not among ours.
    """
    variables, argv = assignments(check.argv)
    rest = started(argv)[1:]
    head = argv[: len(argv) - len(rest)]
    wanted = {
        "args": rest, "module": head[-2:-1] == ("-m",), "select": ask.select, "first": ask.first,
        "trace": ask.trace,
        "fail_fast": ask.fail_fast, "pattern": ask.pattern, "test_seconds": ask.test_seconds,
    }  # fmt: skip
    files = {name: _source(name) for name in (*(scripts if own is None else ()), *_SHARED)} | dict(own or {})
    files["windtunnel_options.json"] = json.dumps(wanted).encode()
    return Invocation(
        argv=("python", "-I", *_interpreter_options(head), f"{OWN}/{scripts[0]}"),
        files=files, env=variables, stdin=f"{ask.key}\n".encode(), live=True,
    )  # fmt: skip


def read_records(output: Output, check: Check) -> Reading:
    """What the records say; what they do not say is said in notes, and a test they do not finish is a crash."""
    forged = [_forged(output.forged)] if output.forged else []
    if not output.records:
        return Reading(channel=Channel.EXIT_CODE, notes=(_silence(output, check.tool), *forged))
    tests: dict[str, ExecutionTestResult] = {}
    for record in _of(output.records, "test"):
        _keep(tests, _result(record, tool=check.tool))
    end = next(iter(_of(output.records, "end")), None)
    lost = _lost(output.records, tests)
    excused = end is not None and bool(end.get("stopped")) and any(test.status.bad for test in tests.values())
    if not excused:
        tests |= {name: _crash(name, check.tool, begun=begun) for name, begun in lost.items()}
    notes = [*_ending(output, end, lost=len(lost), known=len(tests) + (len(lost) if excused else 0)), *forged]
    if not any(test.status not in (Status.SKIPPED, Status.ERROR) or _ran(test) for test in tests.values()):
        notes.append("no test was executed")
    interference = _of(output.records, "integrity")
    notes += [f"the runner was interfered with: {_text(record.get('what'))}" for record in interference]
    return Reading(
        channel=Channel.LIVE, tests=tuple(tests.values()), notes=_bounded(notes), touched=_touched(output.records),
    )  # fmt: skip


@cache
def _source(name: str) -> bytes:
    return (Path(__file__).parent / "inside" / name).read_bytes()


def _interpreter_options(head: tuple[str, ...]) -> tuple[str, ...]:
    """What stands between the interpreter and ``-m``: ``-W error``, ``-X dev``, ``-O``."""
    at = next((at for at, word in enumerate(head) if _PYTHON.match(word)), None)
    return head[at + 1 : -2] if at is not None and head[-2:-1] == ("-m",) else ()


def _of(records: Iterable[Mapping[str, Any]], kind: str) -> list[Mapping[str, Any]]:
    return [record for record in records if record.get("kind") == kind]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: object) -> list[str]:
    return [part for part in value if isinstance(part, str)] if isinstance(value, list) else []


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) and 0 <= value < float("inf") else 0.0


def _result(record: Mapping[str, Any], *, tool: str) -> ExecutionTestResult:
    line = record.get("line")
    return ExecutionTestResult(
        id=_text(record.get("id")), status=_STATUSES.get(_text(record.get("status")), Status.ERROR),
        duration_seconds=_number(record.get("seconds")), message=_text(record.get("message")),
        path=_text(record.get("path")) or None, line=line if isinstance(line, int) else None,
        category=_text(record.get("category")), tool=tool,
    )  # fmt: skip


def _keep(tests: dict[str, ExecutionTestResult], test: ExecutionTestResult) -> None:
    """Of two results for one id the bad one stands."""
    before = tests.get(test.id)
    if before is None or not before.status.bad:
        tests[test.id] = test


def _lost(records: Iterable[Mapping[str, Any]], tests: Mapping[str, ExecutionTestResult]) -> dict[str, bool]:
    """Tests that were announced and have no result, and whether they had begun."""
    lost = {name: False for record in _of(records, "collected") for name in _texts(record.get("ids"))}
    lost |= {_text(record.get("id")): True for record in _of(records, "start")}
    return {name: begun for name, begun in lost.items() if name not in tests}


def _crash(name: str, tool: str, *, begun: bool) -> ExecutionTestResult:
    message = "the runner ended during this test" if begun else "the runner ended before this test"
    return ExecutionTestResult(id=name, status=Status.ERROR, message=message, category="crash", tool=tool)


def _ran(test: ExecutionTestResult) -> bool:
    return test.status is Status.ERROR and test.category not in ("crash", "collection")


def _ending(output: Output, end: Mapping[str, Any] | None, *, lost: int, known: int) -> list[str]:
    notes = []
    missing = f"{lost} of {known} tests were not reported"
    if end is None and not _of(output.records, "collected"):
        notes.append(f"the runner ended before its tests were collected: exit code {output.exit_code}")
    elif end is None:
        notes.append(f"the runner ended before its last test: {missing}")
    elif lost and end.get("stopped"):
        notes.append(f"the runner stopped early ({_text(end.get('stopped'))[:200]}): {missing}")
    elif lost:
        notes.append(f"the runner did not run all tests that it collected: {missing}")
    if end is not None and end.get("exit") != output.exit_code:
        notes.append(f"the exit code became {output.exit_code} after the runner had ended with {end.get('exit')}")
    if end is not None and end.get("count") != len(_of(output.records, "test")):
        notes.append(f"the runner counted {end.get('count')} results, {len(_of(output.records, 'test'))} arrived")
    return notes


def _forged(count: int) -> str:
    return f"{count} records with a wrong seal or number were not believed: the program wrote them, or cut one of ours"


def _silence(output: Output, tool: str) -> str:
    tail = output.stderr[-4 * _TAIL_CHARACTERS :].decode("utf-8", "replace").strip()[-_TAIL_CHARACTERS:]
    return f"{tool} could not be started, or ended before it said anything (exit code {output.exit_code}): {tail}"


def _bounded(notes: list[str]) -> tuple[str, ...]:
    more = len(notes) - _MOST_NOTES
    return (*notes[:_MOST_NOTES], f"and {more} more notes") if more > 0 else tuple(notes)


def _touched(records: Iterable[Mapping[str, Any]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for record in _of(records, "touched"):
        found.setdefault(_text(record.get("id")), []).extend(_texts(record.get("code")))
    return {name: tuple(code) for name, code in found.items()}
