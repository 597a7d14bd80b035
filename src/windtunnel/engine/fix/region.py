"""The lines in which two texts differ, and the statements around them: what is looked at instead of whole files."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Region:
    """Lines from ``first`` to before ``old_end`` became those from ``first`` to before ``new_end``; counted from 1."""

    first: int
    old_end: int
    new_end: int


def region_of(old: str, new: str) -> Region:
    """The smallest one; the same ends where nothing differs."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    shorter = min(len(before), len(after))
    head = next((at for at in range(shorter) if before[at] != after[at]), shorter)
    tail = next((at for at in range(shorter - head) if before[-1 - at] != after[-1 - at]), shorter - head)
    return Region(head + 1, len(before) - tail + 1, len(after) - tail + 1)


def told(tree: ast.Module, *, first: int, end: int) -> tuple[str, ...]:
    """The innermost functions and other statements that lie in these lines, each as its line and its dumped tree.

    Two texts that are the same outside of the lines mean the same where this is the same.
    """
    return tuple(f"{node.lineno}:{ast.dump(node)}" for node in _around(tree.body, first, end))


def _around(body: list[ast.stmt], first: int, end: int) -> Iterator[ast.stmt]:
    for node in body:
        start = min((node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))))
        if start >= max(end, first + 1) or (node.end_lineno or start) < first:
            continue
        if isinstance(node, ast.ClassDef) and node.body[0].lineno <= first and end <= (node.end_lineno or 0) + 1:
            yield from _around(node.body, first, end)
        else:
            yield node
