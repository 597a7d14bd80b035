"""Which ways through a project's files a call takes, and what a search has spent."""

from __future__ import annotations

import os
import resource
import sys
from typing import Any, Set, Tuple

Arc = Tuple[str, int, int]
"""A file, a line, and the line that ran after it."""
PLACE = os.getcwd()


def spent() -> float:
    """Seconds of the processor, of this process and of the copies that it had."""
    found = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in found)


class Trace:
    """Which lines of the project's files follow on which."""

    def __init__(self) -> None:
        self.arcs: Set[Arc] = set()

    def __enter__(self) -> None:
        sys.settrace(self._call)

    def __exit__(self, *error: object) -> None:
        sys.settrace(None)

    def take(self) -> Set[Arc]:
        found, self.arcs = self.arcs, set()
        return found

    def _call(self, frame: Any, event: str, argument: Any) -> Any:
        name = frame.f_code.co_filename
        if not name.startswith(PLACE) or "site-packages" in name:
            return None
        add, last = self.arcs.add, [-frame.f_code.co_firstlineno]

        def line(frame: Any, event: str, argument: Any) -> Any:
            if event == "line":
                add((name, last[0], frame.f_lineno))
                last[0] = frame.f_lineno
            elif event == "return":
                add((name, last[0], -1))
            return line

        return line
