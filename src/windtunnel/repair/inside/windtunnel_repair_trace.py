"""Which lines of the project each test runs, where it failed, and of which types the locals of its functions were."""

from __future__ import annotations

import dis
import os
import sys
import threading
import types
from typing import Any, Dict, FrozenSet, Iterable, List, Optional, Set, Tuple

MOST_IDLE = 2000
"""Lines in a row that were seen before, after which a function counts as run whole until the next look."""
MOST_FUNCTIONS, MOST_NAMES, MOST_TYPES, MOST_SAMPLES = 300, 40, 6, 30
"""Of whose locals types are kept; names of each; types of each name; ends of each function that are looked at."""
MOST_FRAMES, MOST_CHAIN = 60, 4
_NAME = type.__dict__["__name__"]
Line = Tuple[str, int]


class _Watched:
    """Some code of a watched file."""

    def __init__(self, code: types.CodeType, path: str) -> None:
        """``look`` is the last test for which its lines were counted afresh."""
        self.path, self.idle, self.look, self.samples = path, 0, -1, 0
        every = {line for _, line in dis.findlinestarts(code) if line}
        # The line of its ``def`` runs when it is made, not when it is called.
        self.every = frozenset(every - {code.co_firstlineno} or every)
        self.lines: Set[int] = set()
        self.key = "%s:%d" % (path, code.co_firstlineno)
        self.is_function = bool(code.co_flags & 1) and not code.co_name.startswith("<")


class Tracer:
    """Watches from ``start`` to ``stop``."""

    def __init__(self, files: Iterable[str]) -> None:
        """``files`` by absolute path."""
        self.files: FrozenSet[str] = frozenset(files)
        self.paths: Dict[str, Optional[str]] = {}
        self.seen: Set[Line] = set()
        self.assumed: Set[Line] = set()
        """Lines of functions that ran for long, which are not watched to their end."""
        self.look = 0
        self.known: Dict[int, Optional[_Watched]] = {}
        self.kept: List[types.CodeType] = []
        """So that no number of a code object is used again."""
        self.types: Dict[str, Dict[str, Set[str]]] = {}
        self.typing = False
        """Whether types are kept now."""

    def start(self, *, typing: bool) -> None:
        """Before a test."""
        self.look, self.typing = self.look + 1, typing
        self.seen, self.assumed = set(), set()
        threading.settrace(self._called)
        sys.settrace(self._called)

    def stop(self) -> Set[Line]:
        """After it: what ran."""
        sys.settrace(None)
        threading.settrace(None)
        return self.seen

    def frames(self, error: Optional[BaseException]) -> List[Line]:
        """Where in watched files an error passed through, the innermost place last; with what led to it."""
        found: List[Line] = []
        for _ in range(MOST_CHAIN):
            if error is None:
                break
            at, own = error.__traceback__, []
            while at is not None:
                path = self._path(at.tb_frame.f_code.co_filename)
                if path is not None:
                    own.append((path, at.tb_lineno))
                at = at.tb_next
            found = own[-MOST_FRAMES:] + found if not found else [*own[-MOST_FRAMES:], *found]
            error = error.__cause__ or error.__context__
        return found[-MOST_FRAMES:]

    def _path(self, name: str) -> Optional[str]:
        if name not in self.paths:
            real = os.path.realpath(name)
            self.paths[name] = real if real in self.files else None
        return self.paths[name]

    def _called(self, frame: types.FrameType, event: str, argument: object) -> Any:
        code = frame.f_code
        try:
            watched = self.known[id(code)]
        except KeyError:
            path = self._path(code.co_filename)
            watched = self.known[id(code)] = None if path is None else _Watched(code, path)
            self.kept.append(code)
        if watched is None:
            return None
        if watched.look != self.look:
            watched.look, watched.idle, watched.lines = self.look, 0, set(watched.every)
        if not watched.lines and not (self.typing and watched.is_function and watched.samples < MOST_SAMPLES):
            return None
        if self.typing:
            self._sample(watched, frame)  # what it was called with, should it never return
        return self._tracer(watched)

    def _tracer(self, watched: _Watched) -> Any:
        def local(frame: types.FrameType, event: str, argument: object) -> Any:
            if event == "line":
                self._note(watched, frame)
            elif event == "return" and self.typing:
                self._sample(watched, frame)
            elif event == "exception":
                self.seen.add((watched.path, frame.f_lineno))
            return local

        return local

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
            self.assumed.update((watched.path, line) for line in watched.lines)
            watched.lines = set()
        if not watched.lines:
            frame.f_trace_lines = False

    def _sample(self, watched: _Watched, frame: types.FrameType) -> None:
        if not watched.is_function or watched.samples >= MOST_SAMPLES:
            return
        watched.samples += 1
        if watched.key not in self.types and len(self.types) >= MOST_FUNCTIONS:
            return
        known = self.types.setdefault(watched.key, {})
        for name, value in list(frame.f_locals.items())[:MOST_NAMES]:
            kinds = known.setdefault(name, set())
            if len(kinds) < MOST_TYPES:
                kinds.add(str(_NAME.__get__(type(value)))[:80])
