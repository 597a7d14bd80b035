"""Which functions of some files run: cheap enough to be asked of every test.

On Python 3.12 and later by ``sys.monitoring``, before that by the interpreter's own profiler. What does not hold: of a
test that starts threads, or that profiles by itself, not all may be seen; such a look says that it is not sure.
"""



from __future__ import annotations

import dis
import os
import sys
import threading
import types
from typing import Any, Dict, FrozenSet, Iterable, List, Optional, Set, Tuple

try:
    import _lsprof
except ImportError:  # an interpreter without it: nothing is sure, and all tests are watched line by line
    _lsprof = None  # type: ignore[assignment]

Span = Tuple[str, int, int]
"""A file, and the first and last line of some code in it that ran."""


class Calls:
    """Watches until it is stopped."""

    def __init__(self, files: Iterable[str]) -> None:
        """``files`` by absolute path."""
        self.files: FrozenSet[str] = frozenset(files)
        self.known: Dict[int, Optional[Span]] = {}
        self.kept: List[types.CodeType] = []
        """So that no number of a code object is used again."""
        self.paths: Dict[str, Optional[str]] = {}
        self.seen: Set[Span] = set()
        self.unsure = False
        self.monitoring: Any = getattr(sys, "monitoring", None)
        self.profiler: Any = None
        if self.monitoring is not None:
            self._monitor()
        elif _lsprof is not None:
            self.profiler = _lsprof.Profiler(subcalls=False, builtins=False)
            threading.setprofile(self._thread)
            self.profiler.enable()

    def take(self) -> Set[Span]:
        """What ran since the last look."""
        if self.profiler is not None:
            self.unsure = self.unsure or sys.getprofile() is not self.profiler
            self.profiler.disable()
            for entry in self.profiler.getstats():
                self._note(entry.code)
            self.profiler.clear()
        found, self.seen = self.seen, set()
        if self.monitoring is not None:
            self.monitoring.restart_events()
        elif self.profiler is not None:
            self.profiler.enable()
        return found

    def doubt(self) -> bool:
        """Whether something may have run unseen since this was asked last."""
        found = self.unsure or (self.monitoring is None and self.profiler is None)
        self.unsure = False
        return found

    def follow(self) -> None:
        """What copies run that tests make of this process is not seen: that there are any, another look tells."""

    def stop(self) -> None:
        """Watch no more."""
        if self.monitoring is not None:
            self.monitoring.set_events(self.monitoring.COVERAGE_ID, 0)
            self.monitoring.free_tool_id(self.monitoring.COVERAGE_ID)
        elif self.profiler is not None:
            self.profiler.disable()
            threading.setprofile(None)

    def _thread(self, frame: types.FrameType, event: str, argument: object) -> None:
        """Another thread began; what it runs is not seen."""
        self.unsure = True
        sys.setprofile(None)

    def _note(self, code: Any) -> None:
        if isinstance(code, types.CodeType):
            if id(code) not in self.known:
                self.known[id(code)] = self._span(code)
                self.kept.append(code)
            span = self.known[id(code)]
            if span is not None:
                self.seen.add(span)

    def _span(self, code: types.CodeType) -> Optional[Span]:
        name = code.co_filename
        if name not in self.paths:
            real = os.path.realpath(name)
            self.paths[name] = real if real in self.files else None
        path, first = self.paths[name], code.co_firstlineno
        if path is None:
            return None
        return path, first, max([first, *(line for _, line in dis.findlinestarts(code) if line)])

    def _monitor(self) -> None:
        monitoring = self.monitoring
        monitoring.use_tool_id(monitoring.COVERAGE_ID, "windtunnel")
        wanted = monitoring.events.PY_START | monitoring.events.PY_RESUME

        def start(code: types.CodeType, offset: int) -> object:
            self._note(code)
            return monitoring.DISABLE

        for event in (monitoring.events.PY_START, monitoring.events.PY_RESUME):
            monitoring.register_callback(monitoring.COVERAGE_ID, event, start)
        monitoring.set_events(monitoring.COVERAGE_ID, wanted)
