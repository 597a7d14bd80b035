"""An execution as people read it, while it goes on and when it is over."""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping
from typing import IO, TYPE_CHECKING

from windtunnel.cli.render import clean, colour, seconds, table
from windtunnel.core.plan import TaskState, TaskStatus

if TYPE_CHECKING:
    from windtunnel.core.plan import ExecutionReport, TaskEvent

_SHADES = {TaskStatus.COMPLETED: "green", TaskStatus.ERROR: "red", TaskStatus.IN_PROGRESS: "yellow",
           TaskStatus.NOT_STARTED: "grey"}
_MOST_LINES = 12
_MOST_MESSAGE = 200


class Progress:
    """Hears of tasks as they go on; a line for each step, and their output where that is wanted."""

    def __init__(self, *, quiet: bool = False, output: bool = False, file: IO[str] | None = None) -> None:
        """``quiet`` says nothing, where a machine reads."""
        self._quiet, self._output, self._file = quiet, output, file or sys.stderr
        self._lock = threading.Lock()

    def __call__(self, event: TaskEvent) -> None:
        """One event."""
        if self._quiet or (event.kind == "output" and not self._output):
            return
        with self._lock:
            for line in _lines(event):
                print(f"{colour(event.task, 'bold', file=self._file)}: {line}", file=self._file, flush=True)


def _lines(event: TaskEvent) -> list[str]:
    state = event.state
    if event.kind == "output":
        return [clean(line) for line in event.text.splitlines()]
    if event.kind == "ended":
        message = state.error_info.message if state.error_info is not None else ""
        return [f"done in {seconds(state.seconds)}" if state.success else f"failed: {clean(message)[:_MOST_MESSAGE]}"]
    if event.kind == "begun":
        changed = f" ({', '.join(state.changed)})" if state.changed else ""
        return [f"begun{f', attempt {state.attempts}' if state.attempts > 1 else ''}{clean(changed)}"]
    why = clean(event.text or state.skipped)
    return [event.kind if why in ("", event.kind) else f"{event.kind}: {why}"]


def states_page(states: Mapping[str, TaskState]) -> list[str]:
    """How every task stands, then what went wrong."""
    rows = [[name, str(state.status), seconds(state.seconds) if state.attempts else "-", str(state.attempts),
             _word(state)] for name, state in states.items()]
    lines = [table(rows, head=["task", "status", "took", "attempts", "what"])]
    for name, state in states.items():
        if state.status is TaskStatus.ERROR:
            lines += _failure(name, state)
    return lines


def report_page(report: ExecutionReport) -> list[str]:
    """The whole of it."""
    shade = "green" if report.success else "red"
    head = (f"{report.outcome}: {report.tasks_completed} done, {report.tasks_failed} failed, "
            f"{report.tasks_skipped} not run; in {seconds(report.seconds)}; workspace {report.workspace}")
    return [*states_page(report.states), *(f"note: {clean(note)}" for note in report.notes), colour(head, shade)]


def _word(state: TaskState) -> str:
    if state.error_info is not None:
        return clean(state.error_info.message)[:_MOST_MESSAGE]
    return clean(state.skipped or ", ".join(state.changed)) or "-"


def _failure(name: str, state: TaskState) -> list[str]:
    info = state.error_info
    if info is None:
        return []
    tail = [f"  | {clean(line)}" for line in state.output.splitlines()[-_MOST_LINES:]]
    again = " (the same as before: trying it unchanged is no use)" if info.deterministic else ""
    return [colour(f"{name}: {info.kind}{again}", "red"), *(f"  {clean(line)}" for line in info.diagnosis), *tail,
            *([f"  next: {clean(info.suggestion)}"] if info.suggestion else [])]
