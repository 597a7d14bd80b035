"""Which lines of some files run: each noted once for each look."""

from __future__ import annotations

import dis
import os
import sys
import threading
import types
from typing import Any, Callable, Dict, FrozenSet, Iterable, Optional, Set, Tuple

Line = Tuple[str, int]
MOST_IDLE = 300
"""Lines in a row that were seen before, after which a function is not watched any more until the next look."""


class _Unseen:
    """The lines of some code that did not run since the last look."""

    def __init__(self, path: str, code: Optional[types.CodeType]) -> None:
        self.path, self.idle = path, 0
        self.lines = {line for _, line in dis.findlinestarts(code) if line} if code is not None else set()

    def traced(self, note: Callable[[_Unseen, types.FrameType], None]) -> Any:
        """What the interpreter calls for each line of a frame."""
        def line(frame: types.FrameType, event: str, argument: object) -> Any:
            if event == "line":
                note(self, frame)
            return line

        return line


_NOTHING = _Unseen("", None)


class Lines:
    """Watches until it is stopped; on Python 3.12 and later by ``sys.monitoring``, which is far cheaper."""

    def __init__(self, files: Iterable[str]) -> None:
        """``files`` by absolute path."""
        self.files: FrozenSet[str] = frozenset(files)
        self.paths: Dict[str, Optional[str]] = {}
        self.seen: Set[Line] = set()
        self.unseen: Dict[types.CodeType, _Unseen] = {}
        self.monitoring: Any = getattr(sys, "monitoring", None)
        if self.monitoring is not None:
            self._monitor()
        else:
            sys.settrace(self._called)
            threading.settrace(self._called)

    def take(self) -> Set[Line]:
        """What ran since the last look; with all lines of a function that ran for long."""
        found = set(self.seen)
        self.seen.clear()
        self.unseen.clear()
        if self.monitoring is not None:
            self.monitoring.restart_events()
        return found

    def stop(self) -> None:
        """Watch no more."""
        if self.monitoring is not None:
            self.monitoring.set_events(self.monitoring.COVERAGE_ID, 0)
            self.monitoring.free_tool_id(self.monitoring.COVERAGE_ID)
        else:
            sys.settrace(None)
            threading.settrace(None)

    def _path(self, name: str) -> Optional[str]:
        if name not in self.paths:
            real = os.path.realpath(name)
            self.paths[name] = real if real in self.files else None
        return self.paths[name]

    def _called(self, frame: types.FrameType, event: str, argument: object) -> Any:
        code = frame.f_code
        unseen = self.unseen.get(code)
        if unseen is None:
            path = self._path(code.co_filename)
            unseen = self.unseen[code] = _Unseen(path, code) if path is not None else _NOTHING
        if not unseen.lines:
            return None
        self._note(unseen, frame)
        return unseen.traced(self._note)

    def _note(self, unseen: _Unseen, frame: types.FrameType) -> None:
        """One line ran; a function that has shown nothing new for long counts as run whole, and is left alone."""
        line = frame.f_lineno
        if line in unseen.lines:
            unseen.lines.discard(line)
            unseen.idle = 0
            self.seen.add((unseen.path, line))
        else:
            unseen.idle += 1
        if unseen.idle > MOST_IDLE:
            self.seen.update((unseen.path, line) for line in unseen.lines)
            unseen.lines.clear()
        if not unseen.lines:
            frame.f_trace_lines = False

    def _monitor(self) -> None:
        monitoring, seen, path_of = self.monitoring, self.seen, self._path
        monitoring.use_tool_id(monitoring.COVERAGE_ID, "windtunnel")

        def line(code: types.CodeType, number: int) -> object:
            path = path_of(code.co_filename)
            if path is not None:
                seen.add((path, number))
            return monitoring.DISABLE

        monitoring.register_callback(monitoring.COVERAGE_ID, monitoring.events.LINE, line)
        monitoring.set_events(monitoring.COVERAGE_ID, monitoring.events.LINE)
