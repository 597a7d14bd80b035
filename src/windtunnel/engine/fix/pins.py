"""Places that a user allows or forbids more closely than by file: lines, functions and classes.

A place is ``PATH:LINE``, ``PATH:FIRST-LAST`` or ``PATH::NAME``, in the project as it is on disk. What holds: of a file
with allowed places nothing else is touched, and nothing of a forbidden one, whoever proposes it. What is put in
belongs to the lines on both of its sides.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from windtunnel.core.errors import UsageError
from windtunnel.diagnosis.symbols import enclosing
from windtunnel.engine.fix.validate import parsed

_PLACE = re.compile(r"(?P<path>[^:]+):(?:(?P<first>\d{1,7})(?:-(?P<last>\d{1,7}))?|:(?P<name>[\w$]+(?:\.[\w$]+)*))")
_MOST_LINES = 20_000


@dataclass(frozen=True, slots=True)
class Pin:
    """One place."""

    path: str
    first: int = 0
    last: int = 0
    name: str = ""
    """Of a function or class, with the classes around it; else empty."""

    def lines(self, text: str) -> set[int]:
        """The lines of a text that it means; none where there is no such name."""
        return set(range(self.first, self.last + 1)) if not self.name else _named(self.path, text, self.name)


def is_place(text: str) -> bool:
    """Whether it is meant as a place and not as a glob."""
    return ":" in text


def read(text: str, *, field: str) -> Pin:
    """A place as people write it; a typed error for what is none."""
    found = _PLACE.fullmatch(text)
    if found is None:
        raise UsageError(f"{field}: not a place: {text!r:.100} (try src/a.py:12, src/a.py:12-20 or src/a.py::total)",
                         field=field)
    first = int(found["first"] or 0)
    last = int(found["last"] or first)
    if not found["name"] and not 1 <= first <= last:
        raise UsageError(f"{field}: lines are counted from 1 up, the first one first: {text!r:.100}", field=field)
    return Pin(found["path"], first, last, found["name"] or "")


def within(pins: Sequence[Pin], old: str, new: str) -> bool:
    """Whether everything that differs lies in one of the places."""
    lines = _lines(pins, old)
    return all(bool(lines & one.lines) if one.inserted else one.lines <= lines for one in _differences(old, new))


def reaches(pins: Sequence[Pin], old: str, new: str) -> bool:
    """Whether something that differs lies in one of the places."""
    lines = _lines(pins, old)
    return any(one.lines <= lines if one.inserted else bool(lines & one.lines) for one in _differences(old, new))


@dataclass(frozen=True, slots=True)
class _Difference:
    """Lines of the old text that become something else; those on both sides of what is put in."""

    lines: set[int]
    inserted: bool


def _differences(old: str, new: str) -> Iterator[_Difference]:
    before, after = old.splitlines(), new.splitlines()
    for tag, start, end, *_ in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "insert":
            yield _Difference({start, start + 1}, inserted=True)
        elif tag != "equal":
            yield _Difference(set(range(start + 1, end + 1)), inserted=False)


def _lines(pins: Iterable[Pin], text: str) -> set[int]:
    return {line for pin in pins for line in pin.lines(text)}


def _named(path: str, text: str, name: str) -> set[int]:
    tree = parsed(text) if path.endswith((".py", ".pyi")) else None
    if isinstance(tree, ast.Module):
        return {line for node, called in _definitions(tree, "") if called == name
                for line in range(min((node.lineno, *(each.lineno for each in node.decorator_list))),
                                  (node.end_lineno or node.lineno) + 1)}
    lines = text.splitlines()[:_MOST_LINES]
    around = ((number, enclosing(path, lines, line=number) or "") for number in range(1, len(lines) + 1))
    return {number for number, called in around if called == name or called.startswith(f"{name}.")}


_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def _definitions(parent: ast.AST, around: str) -> Iterator[tuple[_Definition, str]]:
    for node in ast.iter_child_nodes(parent):
        if isinstance(node, _Definition):
            yield node, f"{around}{node.name}"
            yield from _definitions(node, f"{around}{node.name}.")
        else:
            yield from _definitions(node, around)
