"""One call of a function, and all that can be told of it: what it returned, raised, and did to what it was given."""

from __future__ import annotations

import asyncio
import dis
import gc
import inspect
import itertools
import os
import sys
import types
from typing import Any, Dict, List, Set

from windtunnel_suggest_target import Inputs, Target  # type: ignore[import-not-found]  # lies beside this file when it runs
from windtunnel_suggest_writer import Writer  # type: ignore[import-not-found]  # the same

MOST_TAKEN, FEW_TAKEN, MOST_ATTRIBUTES, MOST_MESSAGE = 60, 5, 12, 150
CHANCE = frozenset({
    "time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "process_time", "localtime",
    "gmtime", "now", "utcnow", "today", "urandom", "getrandbits", "random", "getpid", "getppid", "getcwd",
    "gethostname", "uname", "id", "cpu_count",
    "thread_time", "ctime", "asctime", "getlogin", "get_ident", "getuid", "getrusage", "times"})
"""Functions written in C whose answer another day, process or machine would not give again."""
UNINTENDED = (TypeError, AttributeError, NameError, RecursionError, MemoryError, AssertionError, SystemError)
"""Errors that say more of a senseless input than of the code, unless the code raises them on purpose."""
Told = Dict[str, str]
"""By aspect: ``shape``, ``value``, ``raises``, ``message``, ``.attribute``, ``after name``.

The shape is ``raised`` of an error that the project's code raises on purpose, ``thrown`` of any other.
"""
RAISED = ("raised", "thrown")


class Attempt:
    """Calls one function with texts for its inputs."""

    def __init__(self, target: Target, writer: Writer, callee: str, *, file: str = "") -> None:
        """``callee`` as the test file calls it; ``file`` that lines are watched of, its own where none is named."""
        self.target, self.writer, self.callee = target, writer, callee
        self.file = file or target.code.co_filename
        self.lines, self.chance = Lines(self.file), Chance()
        self.listening = False

    def __call__(self, inputs: Inputs) -> Told:
        """What is told of it; nothing where the inputs themselves cannot be made."""
        space = dict(self.writer.names.space)
        try:
            made = {slot: eval(text, space) for slot, text in inputs}
        except Exception:
            return {}
        named = tuple((slot, "windtunnel_" + str(at)) for at, (slot, _) in enumerate(inputs))
        call = self.target.call(named, self.callee)
        if not call:
            return {}
        space.update({name: made[slot] for slot, name in named})
        told = self._told(call, space)
        if told and "raises" not in told:
            told.update(self._after(inputs, made))
        return told

    def _told(self, call: str, space: Dict[str, Any]) -> Told:
        try:
            self._listen()
            value = eval(call, space)
            shape = _shape(value)
            if shape == "run":
                value = asyncio.run(value)
            elif shape == "list":
                value = list(itertools.islice(value, MOST_TAKEN + 1))
                if len(value) > MOST_TAKEN:
                    shape, value = "few", value[:FEW_TAKEN]
        except Exception as error:
            self._listen_no_more()
            return self._raised(error)
        finally:
            self._listen_no_more()
        return {"shape": shape, **self._value(value)}

    def _listen(self) -> None:
        """Without the garbage collector, whose callbacks would be heard as if the function called them."""
        if self.listening:
            gc.disable()
            traced(self.lines.hear, self.chance.hear)

    def _listen_no_more(self) -> None:
        if self.listening:
            traced(None, None)
            gc.enable()

    def watched(self, inputs: Inputs) -> List[Any]:
        """What is told, which lines of the function's file ran, and whether chance had a part in it."""
        self.listening = True
        told = self(inputs)
        return [told, self.lines.take(), self.chance.take()]

    def _value(self, value: Any) -> Told:
        text = self._text(value)
        return {"value": text} if text else {"." + name: text for name, text in self._attributes(value).items()}

    def _text(self, value: Any) -> str:
        """For what a test can compare with: not two iterators, nor objects that have no word on being equal."""
        text: str = self.writer.text(value)
        try:
            return text if text and bool(eval(text, dict(self.writer.names.space)) == value) else ""
        except Exception:
            return ""

    def _raised(self, error: Exception) -> Told:
        purpose = _on_purpose(error, self.file)
        name = self.writer.names.of(type(error))
        if not name or (isinstance(error, UNINTENDED) and not purpose):
            return {"shape": "raised"}
        message = str(error)
        shape = "raised" if purpose else "thrown"
        fits = purpose and 0 < len(message) <= MOST_MESSAGE and bool(self.writer.text(message))
        return {"shape": shape, "raises": name, **({"message": repr(message)} if fits else {})}

    def _after(self, inputs: Inputs, made: Dict[str, Any]) -> Told:
        """What became of inputs that can change."""
        told: Told = {}
        for slot, before in inputs:
            value = made[slot]
            if isinstance(value, (int, float, str, bytes, tuple, frozenset, type(None), type, types.FunctionType)):
                continue
            text = self._text(value)
            if text and text != before:
                told["after " + slot] = text
            if slot == "self" and not text:
                told.update({"after self." + name: text for name, text in self._attributes(value).items()})
        return told

    def _attributes(self, value: Any) -> Told:
        held = getattr(value, "__dict__", None)
        names = sorted(held) if isinstance(held, dict) else []
        public = [name for name in names if isinstance(name, str) and name.isidentifier() and not name.startswith("_")]
        found = {name: self._text(held[name]) for name in public[:MOST_ATTRIBUTES]} if held else {}
        return {name: text for name, text in found.items() if text}


def _shape(value: Any) -> str:
    """How a test must take it: as it is, as a list, by a loop that runs it."""
    if inspect.iscoroutine(value):
        return "run"
    return "list" if hasattr(type(value), "__next__") and hasattr(type(value), "__iter__") else "plain"


def _on_purpose(error: BaseException, path: str) -> bool:
    """Whether the last frame is of the project's own code, at a ``raise``."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or not trace.tb_frame.f_code.co_filename.startswith((path, os.getcwd() + os.sep)):
        return False
    at = {part.offset: part.opname for part in dis.get_instructions(trace.tb_frame.f_code)}
    return at.get(trace.tb_lasti) == "RAISE_VARARGS"


class Lines:
    """Which lines of one file run."""

    def __init__(self, path: str) -> None:
        """``path`` as its code names it."""
        self.path = path
        self.seen: Set[int] = set()

    def take(self) -> List[int]:
        """Those since the last look."""
        found, self.seen = sorted(self.seen), set()
        return found

    def hear(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename != self.path:
            return None
        self.seen.add(frame.f_lineno)
        return self.hear


class Chance:
    """Whether something was called whose answer is another one each time."""

    def __init__(self) -> None:
        """Nothing was, yet."""
        self.seen = False

    def take(self) -> bool:
        """Since the last look."""
        found, self.seen = self.seen, False
        return found

    def hear(self, frame: types.FrameType, event: str, argument: Any) -> None:
        if event == "c_call" and getattr(argument, "__name__", "") in CHANCE and not frame.f_code.co_filename.endswith(
                "asyncio/base_events.py"):
            self.seen = True


def traced(hear: Any, profile: Any) -> None:
    """Have these hear, or nobody."""
    sys.settrace(hear)
    sys.setprofile(profile)
