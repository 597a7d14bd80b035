"""Which lines of some files run: each noted once for each look."""

from __future__ import annotations

import contextlib
import dis
import os
import sys
import threading
import types
from typing import Any, Callable, Dict, FrozenSet, Iterable, List, Optional, Set, Tuple

Line = Tuple[str, int]
MOST_IDLE = 300
"""Lines in a row that were seen before, after which a function is not watched any more until the next look."""


class _Watched:
    """Some code of a watched file, and its lines that did not run since the last look."""

    def __init__(self, code: types.CodeType, path: str, note: Callable[[_Watched, types.FrameType], None]) -> None:
        """``note`` hears of each line that is about to run."""
        self.path, self.idle, self.look = path, 0, -1
        self.every = frozenset(line for _, line in dis.findlinestarts(code) if line)
        self.lines: Set[int] = set()

        def line(frame: types.FrameType, event: str, argument: object) -> Any:
            if event == "line":
                note(self, frame)
            return line

        self.line = line


class _Seen(Set[Line]):
    """Lines that ran; in a copy that a test made of its process, told to where the process looks."""

    def __init__(self) -> None:
        """Nothing is told before somebody follows copies."""
        super().__init__()
        self.way = -1
        self.copied = False

    def follow(self) -> None:
        """Hear of copies from now on; there is no way to take that back."""
        self.way = os.memfd_create("lines")
        os.register_at_fork(after_in_child=lambda: setattr(self, "copied", True))

    def add(self, line: Line) -> None:
        if self.copied and line not in self:
            with contextlib.suppress(OSError):  # the copy has closed what it does not know
                os.write(self.way, b"%d %s\n" % (line[1], os.fsencode(line[0])))
        super().add(line)

    def told(self) -> Set[Line]:
        """What copies told since the last look."""
        if self.way < 0:
            return set()
        data = os.pread(self.way, os.fstat(self.way).st_size, 0)
        os.ftruncate(self.way, 0)
        os.lseek(self.way, 0, os.SEEK_SET)
        parts = [line.partition(b" ") for line in data.splitlines()]
        return {(os.fsdecode(path), int(number)) for number, _, path in parts if number.isdigit()}


class Lines:
    """Watches until it is stopped; on Python 3.12 and later by ``sys.monitoring``, which is far cheaper."""

    def __init__(self, files: Iterable[str]) -> None:
        """``files`` by absolute path."""
        self.files: FrozenSet[str] = frozenset(files)
        self.paths: Dict[str, Optional[str]] = {}
        self.seen = _Seen()
        self.codes: Set[Tuple[str, str, int]] = set()
        """Code of which anything ran: its file, name and first line."""
        self.look = 0
        self.known: Dict[int, Optional[_Watched]] = {}
        """By the number of the code object: its own hash is of all that it holds, and slow."""
        self.kept: List[types.CodeType] = []
        """So that no number is used again."""
        self.monitoring: Any = getattr(sys, "monitoring", None)
        self.called = self._caller()
        if self.monitoring is not None:
            self._monitor()
        else:
            sys.settrace(self.called)
            threading.settrace(self.called)

    def take(self) -> Set[Line]:
        """What ran since the last look; with all lines of a function that ran for long."""
        found = set(self.seen) | self.seen.told()
        self.seen.clear()
        self.look += 1
        if self.monitoring is not None:
            self.monitoring.restart_events()
        return found

    def follow(self) -> None:
        """See also what copies run that tests make of this process."""
        self.seen.follow()

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

    def _caller(self) -> Callable[[types.FrameType, str, object], Any]:
        """What the interpreter calls for each call: nearly all are of other files, so that comes first."""
        known, new, note = self.known, self._new, self._note

        def called(frame: types.FrameType, event: str, argument: object) -> Any:
            code = frame.f_code
            try:
                watched = known[id(code)]
            except KeyError:
                watched = new(code)
            if watched is None:
                return None
            if watched.look != self.look:
                watched.look, watched.idle, watched.lines = self.look, 0, set(watched.every)
            if not watched.lines:
                return None
            note(watched, frame)
            return watched.line if watched.lines else None

        return called

    def _new(self, code: types.CodeType) -> Optional[_Watched]:
        path = self._path(code.co_filename)
        made = None if path is None else _Watched(code, path, self._note)
        if path is not None:
            self.codes.add((path, code.co_name, code.co_firstlineno))
        self.known[id(code)] = made
        self.kept.append(code)
        return made

    def _note(self, watched: _Watched, frame: types.FrameType) -> None:
        """One line ran; a function that has shown nothing new for long counts as run whole, and is left alone."""
        line = frame.f_lineno
        if line in watched.lines:
            watched.lines.discard(line)
            watched.idle = 0
            self.seen.add((watched.path, line))
        else:
            watched.idle += 1
        if watched.idle > MOST_IDLE:
            for each in watched.lines:
                self.seen.add((watched.path, each))
            watched.lines = set()
        if not watched.lines:
            frame.f_trace_lines = False

    def _monitor(self) -> None:
        monitoring, seen, codes, path_of = self.monitoring, self.seen, self.codes, self._path
        monitoring.use_tool_id(monitoring.COVERAGE_ID, "windtunnel")

        def line(code: types.CodeType, number: int) -> object:
            path = path_of(code.co_filename)
            if path is not None:
                seen.add((path, number))
                codes.add((path, code.co_name, code.co_firstlineno))
            return monitoring.DISABLE

        monitoring.register_callback(monitoring.COVERAGE_ID, monitoring.events.LINE, line)
        monitoring.set_events(monitoring.COVERAGE_ID, monitoring.events.LINE)
