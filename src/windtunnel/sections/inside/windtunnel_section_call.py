"""One call made of texts: the inputs are made anew, what is returned is drawn from, and how it ended is told."""

from __future__ import annotations

import inspect
import itertools
import os
import random
import resource
import sys
import time
import warnings
from typing import Any, Callable, Dict, List, Optional, Tuple

import windtunnel_section_props as props  # type: ignore[import-not-found]  # lies beside this file when it runs
from windtunnel_section_digest import digest  # type: ignore[import-not-found]  # the same
from windtunnel_section_target import Inputs, Target  # type: ignore[import-not-found]  # the same

MOST_DRAWN, MOST_MESSAGE = 60, 300
RETURNED, RAISED, UNMADE = "returned", "raised", "inputs not made"
Around = Tuple[Callable[[], None], Callable[[], None]]
"""What is done before a call and after it."""


class Caller:
    """Calls one section."""

    def __init__(self, target: Target, seed: int) -> None:
        """``seed`` is what chance begins with before each call."""
        self.target, self.seed = target, seed
        self.space: Dict[str, Any] = {**vars(target.module), "wt": props}
        self.codes: Dict[str, Any] = {}

    def make(self, inputs: Inputs) -> Tuple[Any, List[Any], Dict[str, Any]]:
        """The function, and what it is called with."""
        values = {slot: self.value(text) for slot, text in inputs}
        target = self.target
        if target.kind == "property":
            return getattr, [values["."], target.name], {}
        by_position, by_name = target.arrange({slot: value for slot, value in values.items() if slot != "."})
        function = getattr(values["."], target.name) if target.needs_object else target.callable()
        return function, by_position, by_name

    def value(self, text: str) -> Any:
        if text not in self.codes:
            self.codes[text] = compile(text, "<input>", "eval")
        return eval(self.codes[text], dict(self.space))

    def __call__(self, inputs: Inputs, around: Optional[Around] = None) -> Dict[str, Any]:
        """How it ended; ``around`` is done when the inputs are made, and undone before anything is written down."""
        chance(self.seed)
        try:
            function, given, named = self.make(inputs)
        except BaseException as error:
            return {"how": UNMADE, **_told(error)}
        clock, peak, processor, own = time.perf_counter, resource.getrusage, time.process_time, time.thread_time
        before = peak(resource.RUSAGE_SELF).ru_maxrss
        error_or_none: Optional[BaseException] = None
        value = None
        try:
            if around is not None:
                around[0]()
            began, used, used_here = clock(), processor(), own()
            try:
                value = drawn(function(*given, **named))
            except BaseException as error:
                error_or_none = error
            seconds = clock() - began
            processor_seconds = max(processor() - used, own() - used_here)  # the former may stand still
        finally:
            if around is not None:
                around[1]()
        grown = max(0, peak(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
        told = {"seconds": seconds, "cpu": processor_seconds, "memory": grown}
        if error_or_none is not None:
            return {"how": RAISED, **_told(error_or_none), **told}
        self.value_returned = value
        return {"how": RETURNED, "digest": digest(value), **told}


def _told(error: BaseException) -> Dict[str, str]:
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ == "builtins" else kind.__module__ + "." + kind.__qualname__
    try:
        message = str(error)
    except BaseException:
        message = ""
    return {"error": name[:200], "message": message.encode("ascii", "backslashreplace").decode()[:MOST_MESSAGE]}


def drawn(value: Any) -> Any:
    """What a caller would get out of it: run, entered, gone through, in bounds."""
    if inspect.iscoroutine(value):
        return drawn(_run(value))
    if inspect.isasyncgen(value):
        return _run(_gathered(value))
    kind = type(value)
    if kind.__module__ == "contextlib" and kind.__name__ == "_GeneratorContextManager":
        with value as inside:
            return inside
    if kind.__module__ == "contextlib" and kind.__name__ == "_AsyncGeneratorContextManager":
        return _run(_entered(value))
    if hasattr(kind, "__next__") and hasattr(kind, "__iter__") and not hasattr(kind, "read"):
        return list(itertools.islice(value, MOST_DRAWN))
    return value


def _run(value: Any) -> Any:
    import asyncio  # loaded by those who need it: copies of a small process are made faster

    return asyncio.run(value)


async def _gathered(value: Any) -> List[Any]:
    found: List[Any] = []
    async for one in value:
        found.append(one)
        if len(found) >= MOST_DRAWN:
            break
    return found


async def _entered(value: Any) -> Any:
    async with value as inside:
        return inside


def chance(seed: int) -> None:
    """From here on the same numbers come."""
    random.seed(seed)
    numbers = sys.modules.get("numpy")
    if numbers is not None:
        numbers.random.seed(seed % 2**32)


def calm(folder: str) -> None:
    """A current folder of its own, and no warnings that are errors."""
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    warnings.simplefilter("ignore")
    sys.argv = ["program"]
