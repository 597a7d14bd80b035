"""The compiler as oracle: where it says that a text is not Python, and in which words."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

_PARSED = "future feature _ is not defined"


@dataclass(frozen=True, slots=True)
class Fault:
    """The first fault of a text; line and column count from one and from zero."""

    message: str
    line: int
    column: int
    sort: str = "SyntaxError"


def parse_fault(text: str, *, before: str = "") -> Fault | None:
    """The first fault that the parser finds; None where the text parses.

    An unknown feature of the future makes the compiler stop right after parsing, which takes a third of the time.
    """
    head = f"from __future__ import _\n{before}"
    fault = _compiled(head + text)
    if fault is None or fault.message == _PARSED:
        return None
    return Fault(fault.message, fault.line - head.count("\n"), fault.column, fault.sort)


def compile_fault(text: str) -> Fault | None:
    """The first fault that the whole compiler finds."""
    return _compiled(text)


def _compiled(text: str) -> Fault | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "<text>", "exec", dont_inherit=True)
    except SyntaxError as error:
        return Fault(error.msg or "", error.lineno or 1, max((error.offset or 1) - 1, 0), type(error).__name__)
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        return Fault(str(error), 1, 0, type(error).__name__)
    return None
