"""The function around a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windtunnel.mutation.grammars.walk import places

if TYPE_CHECKING:
    from windtunnel.mutation.grammars.source import Source


def function_at(source: Source, *, line: int) -> str:
    """Its qualified name: of the innermost that has the line, its head and last bracket included; or nothing."""
    found, size = "", len(source.content) + 1
    for _, place in places(source, everything=True):
        function = place.function
        if function is None or place.field != "body" or place.above() != function:
            continue
        first, last = source.lines(function)
        if first <= line <= last and function.end_byte - function.start_byte < size:
            found, size = place.name, function.end_byte - function.start_byte
    return found
