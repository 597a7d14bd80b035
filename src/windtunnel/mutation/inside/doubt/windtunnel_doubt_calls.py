"""The calls that tests make of some functions: their arguments, copied as they were when the call began.

Seen by the interpreter's own hook for profilers, which changes no function. What does not hold: what cannot be copied
(an iterator that others wait for, a lock, a socket) is counted and left out.
"""

from __future__ import annotations

import copy
import sys
import threading
from typing import Any, Dict, List, Set, Tuple

from windtunnel_doubt_values import TooLarge, canon  # type: ignore[import-not-found]  # lies beside this file when it runs

GENERATOR, COROUTINE, VARARGS, KEYWORDS = 0x20, 0x80, 0x04, 0x08
MOST_CALLS, MOST_SEEN = 60, 20_000
Arguments = Dict[str, Any]


class Calls:
    """Listens while it is switched on."""

    def __init__(self, codes: Dict[Any, int]) -> None:
        """``codes`` of the functions, with the number of each."""
        self.codes = codes
        self.found: Dict[int, List[Arguments]] = {number: [] for number in codes.values()}
        self.called: Set[int] = set()
        self.lost: Dict[int, int] = {}
        """How many calls of each could not be copied."""
        self.seen: Set[Tuple[int, str]] = set()
        self.frames: Dict[int, Any] = {}
        self.count = 0

    def start(self) -> None:
        """From now on."""
        threading.setprofile(self._hear)
        sys.setprofile(self._hear)

    def stop(self) -> None:
        """No more."""
        sys.setprofile(None)
        threading.setprofile(None)

    def _hear(self, frame: Any, event: str, _: Any) -> None:
        if event != "call" or frame.f_code not in self.codes:
            return
        number = self.codes[frame.f_code]
        self.called.add(number)
        if self.count > MOST_SEEN or len(self.found[number]) >= MOST_CALLS or self._resumed(frame):
            return
        self.count += 1
        try:
            self._keep(number, frame)
        except BaseException:
            self.lost[number] = self.lost.get(number, 0) + 1

    def _resumed(self, frame: Any) -> bool:
        """A generator is entered once for each item; its arguments are those of the first time."""
        if not frame.f_code.co_flags & (GENERATOR | COROUTINE):
            return False
        if id(frame) in self.frames:
            return True
        self.frames[id(frame)] = frame
        return False

    def _keep(self, number: int, frame: Any) -> None:
        code = frame.f_code
        many = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & VARARGS) + bool(
            code.co_flags & KEYWORDS)
        here = frame.f_locals
        given = {name: here[name] for name in code.co_varnames[:many] if name in here}
        try:
            key = (number, canon(given))
        except TooLarge:
            self.lost[number] = self.lost.get(number, 0) + 1
            return
        if key not in self.seen:
            self.seen.add(key)
            self.found[number].append(copy.deepcopy(given))


def call(function: Any, code: Any, given: Arguments) -> Any:
    """The function with these arguments; ``code`` is that with which they were recorded."""
    plain = code.co_varnames[: code.co_argcount]
    named = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    at = code.co_argcount + code.co_kwonlyargcount
    more: Tuple[Any, ...] = ()
    if code.co_flags & VARARGS:
        more = tuple(given.get(code.co_varnames[at], ()))
        at += 1
    rest = dict(given.get(code.co_varnames[at], {})) if code.co_flags & KEYWORDS else {}
    if more or code.co_posonlyargcount:
        return function(*[given[name] for name in plain], *more, **{name: given[name] for name in named}, **rest)
    # One that the other version does not have yet is left out: it would fail for that alone.
    own = function.__code__
    known = own.co_varnames[: own.co_argcount + own.co_kwonlyargcount]
    wanted = [name for name in (*plain, *named) if name in known or own.co_flags & KEYWORDS]
    return function(**{name: given[name] for name in wanted}, **rest)
