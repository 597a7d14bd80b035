"""Which functions of the project ran, cheaply: each is noted once for each look.

On Python 3.12 and later by ``sys.monitoring``, which costs nothing after the first call of a function in a test; before
that by a trace function that is called at each call. Where something else traces (a debugger, a coverage tool), nothing
is recorded rather than half of it. Code that another process runs is not seen.
"""

from __future__ import annotations

import os
import sys
import threading
import types
from typing import Any

FOREIGN = ("site-packages", "dist-packages", "node_modules")


class Tracer:
    """Collects the code that runs between two calls of ``take``."""

    def __init__(self, root: str) -> None:
        """Start to watch; ``root`` is the project's folder."""
        self.root = os.path.join(root, "")
        self.environment = os.path.join(sys.prefix, "")
        self.seen: dict[int, types.CodeType] = {}
        self.places: dict[str, str | None] = {}
        self.function: Any = None
        self.lost = False
        self.monitoring: Any = getattr(sys, "monitoring", None)
        self.tool = self._free_tool() if self.monitoring is not None else None
        if self.tool is not None:
            self._monitor(self.tool)
        else:
            self._trace()

    def take(self) -> set[str] | None:
        """The project's code that ran since the last look, as ``path:line``; None when it could not be watched.

        The line is the function's first one; zero for what runs when the file is loaded.
        """
        seen = list(self.seen.values())
        self.seen.clear()
        if self.tool is not None:
            self.monitoring.restart_events()
        elif self.lost:
            self.lost = False
            return None
        found = set()
        for code in seen:
            path = self._place(code.co_filename)
            if path is not None:
                found.add(f"{path}:{0 if code.co_name == '<module>' else code.co_firstlineno}")
        return found

    def pause(self) -> None:
        """Let the runner's own code run at full speed; what replaced our trace function meanwhile is noticed."""
        if self.tool is None:
            self.lost = self.lost or sys.gettrace() is not self.function
            if sys.gettrace() is self.function:
                sys.settrace(None)

    def resume(self) -> None:
        """Watch again, unless something else does."""
        if self.tool is None:
            self.lost = self.lost or sys.gettrace() not in (None, self.function)
            if sys.gettrace() is None:
                sys.settrace(self.function)

    def stop(self) -> None:
        """Watch no more."""
        if self.tool is not None:
            self.monitoring.set_events(self.tool, 0)
            self.monitoring.free_tool_id(self.tool)
        elif sys.gettrace() is self.function:
            sys.settrace(None)
            threading.settrace(None)

    def _free_tool(self) -> int | None:
        for tool in (4, 3):
            try:
                self.monitoring.use_tool_id(tool, "windtunnel")
            except ValueError:
                continue
            return tool
        return None

    def _monitor(self, tool: int) -> None:
        seen, disable = self.seen, self.monitoring.DISABLE

        def started(code: types.CodeType, offset: int) -> object:  # noqa: ARG001 -- the interpreter's signature
            seen[id(code)] = code
            return disable

        self.monitoring.register_callback(tool, self.monitoring.events.PY_START, started)
        self.monitoring.set_events(tool, self.monitoring.events.PY_START)

    def _trace(self) -> None:
        seen = self.seen

        def called(frame: types.FrameType, event: str, argument: object) -> None:  # noqa: ARG001 -- as above
            code = frame.f_code
            seen[id(code)] = code

        self.function = called
        sys.settrace(called)
        threading.settrace(called)

    def _place(self, filename: str) -> str | None:
        """Relative to the project; None for what is not the project's own."""
        if filename not in self.places:
            self.places[filename] = self._find(filename)
        return self.places[filename]

    def _find(self, filename: str) -> str | None:
        path = os.path.normpath(os.path.join(self.root, filename))
        inside = path.startswith(self.root) and not path.startswith(self.environment) and not filename.startswith("<")
        relative = path[len(self.root) :]
        if not inside or any(part in FOREIGN for part in relative.split("/")):
            return None
        return relative.encode("utf-8", "backslashreplace").decode("utf-8")
