"""Which lines each test of a program runs, and which tests fail: run as a script, told on its input.

A stand-in for the observation that a fix makes in its sandbox, for measurements of the order alone.
"""

from __future__ import annotations

import json
import math
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

_TEST_SECONDS = 0.5
"""Of processor time, as a busy machine makes every clock unfair."""
_PROGRAM = "program.py"


def spectrum(source: str, tests: list[str]) -> list[tuple[bool, list[int]]]:
    """For each test whether it holds, and the lines of the program that it ran."""
    signal.signal(signal.SIGVTALRM, _late)
    return [_one(source, line) for line in tests]


def _one(source: str, line: str) -> tuple[bool, list[int]]:
    space: dict[str, Any] = {"__name__": "program"}
    exec(compile(source, _PROGRAM, "exec"), space)
    wanted, call = "", line
    if line.startswith("raises "):
        wanted, _, call = line.removeprefix("raises ").partition(": ")
    lines: set[int] = set()
    signal.setitimer(signal.ITIMER_VIRTUAL, _TEST_SECONDS)
    sys.settrace(_tracer(lines))
    try:
        held = bool(eval(call, space)) and not wanted
    except Exception as error:  # noqa: BLE001 -- a test that ends so does not hold
        held = type(error).__name__ == wanted
    finally:
        sys.settrace(None)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return held, sorted(lines)


def _tracer(lines: set[int]) -> Callable[[FrameType, str, object], Any]:
    def trace(frame: FrameType, event: str, _: object) -> Any:  # noqa: ANN401 -- a tracer is its own answer
        if frame.f_code.co_filename != _PROGRAM:
            return None
        if event == "line":
            lines.add(frame.f_lineno)
        return trace
    return trace


def ochiai(found: list[tuple[bool, list[int]]]) -> dict[int, tuple[float, int, int]]:
    """By line: the score, failing tests, passing ones."""
    failing = sum(not held for held, _ in found)
    told = {}
    for line in sorted({line for _, lines in found for line in lines}):
        bad = sum(not held and line in lines for held, lines in found)
        good = sum(held and line in lines for held, lines in found)
        if bad:
            told[line] = (bad / math.sqrt(failing * (bad + good)), bad, good)
    return told


def _late(*_: object) -> None:
    raise TimeoutError


if __name__ == "__main__":
    for asked in sys.stdin:
        print(json.dumps(spectrum(**json.loads(asked))), flush=True)
