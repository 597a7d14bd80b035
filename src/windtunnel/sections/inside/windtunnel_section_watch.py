"""Which line of the project's files ran after which, while calls are made."""

from __future__ import annotations

import dis
import os
import sys
import threading
from typing import Any, Dict, Mapping, Set, Tuple

_PAUSED = frozenset(number for name, number in dis.opmap.items() if name.startswith("YIELD"))
_MOST_PAUSED = 10_000
_GENERATORS = 0x20 | 0x80 | 0x200
"""Flags of code that can pause: generators, coroutines, asynchronous generators."""
_ENDS = (StopIteration, StopAsyncIteration, GeneratorExit)
"""What Python itself uses to end loops; no error of the line."""


class Watch:
    """On between ``with`` and its end, in all threads that are started meanwhile."""

    def __init__(self, files: Mapping[str, str]) -> None:
        """``files`` are those to watch, by the name that Python runs them under."""
        self.files = dict(files)
        self.arcs: Dict[str, Set[Tuple[int, int]]] = {name: set() for name in files.values()}
        self.paused: Dict[Any, int] = {}
        """Last lines of what yielded and may go on."""

    def __enter__(self) -> None:
        threading.settrace(self._call)
        sys.settrace(self._call)

    def __exit__(self, *error: object) -> None:
        sys.settrace(None)
        threading.settrace(None)

    def take(self) -> Dict[str, Set[Tuple[int, int]]]:
        """What ran since the last time."""
        found = {name: set(some) for name, some in self.arcs.items() if some}
        for some in self.arcs.values():
            some.clear()
        return found

    def _path(self, name: str) -> str:
        """Of a file to watch; empty of others. A name may have a dot or a second slash in it."""
        if name not in self.files:
            self.files[name] = self.files.get(os.path.normpath(name), "")
        return self.files[name]

    def _call(self, frame: Any, event: str, argument: Any) -> Any:
        code = frame.f_code
        path = self._path(code.co_filename)
        if not path:
            return None
        add = self.arcs[path].add
        apart = code.co_name.startswith("<") and code.co_name != "<module>"  # a part of its line, with ways of its own
        pauses = bool(code.co_flags & _GENERATORS)
        last = [self.paused.pop(frame, 0) if pauses else 0]

        def line(frame: Any, event: str, argument: Any) -> Any:
            if event == "line":
                add((0 if apart else last[0], frame.f_lineno))
                last[0] = frame.f_lineno
            elif event == "exception":
                last[0] = last[0] if issubclass(argument[0], _ENDS) else 0
            elif event == "return":
                if not pauses or code.co_code[frame.f_lasti] not in _PAUSED:
                    add((0 if apart else last[0], 0))
                elif len(self.paused) < _MOST_PAUSED:
                    self.paused[frame] = last[0]
            return line

        return line
