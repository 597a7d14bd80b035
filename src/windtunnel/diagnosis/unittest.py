"""unittest: one section for each test that failed, with its traceback."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from windtunnel.core.problem import ProblemKind
from windtunnel.diagnosis import python
from windtunnel.diagnosis.base import Example, Found, Reader, moved, problem

_BAR = "=" * 70
_HEAD = re.compile(r"(FAIL|ERROR|UNEXPECTED SUCCESS): (.{1,500}?)(?: \((.{1,500}?)\))?(?: (\[.*\]|\(.*\)))?")
_LOST = "unittest.loader."


def _sections(lines: Sequence[str]) -> Iterator[tuple[int, int, re.Match[str]]]:
    heads = [(at + 1, said) for at, line in enumerate(lines[:-1])
             if line == _BAR and (said := _HEAD.fullmatch(lines[at + 1])) is not None]
    for index, (at, said) in enumerate(heads):
        yield at, heads[index + 1][0] - 1 if index + 1 < len(heads) else len(lines), said


def _id(said: re.Match[str]) -> str:
    """As ``python -m unittest`` takes it: ``module.Class.test``."""
    name, where, more = said[2], said[3] or "", said[4] or ""
    if where.startswith(_LOST):
        return name
    whole = where if where.endswith(f".{name}") or not where else f"{where}.{name}"
    return f"{whole or name} {more}".strip()


def read(lines: Sequence[str]) -> Iterator[Found]:
    """The traceback of each section, as a problem of its test."""
    for first, end, said in _sections(lines):
        section = lines[first:end]
        stop = next((at for at, line in enumerate(section) if at > 1 and line.startswith("Ran ")), len(section))
        found = _inner(python.traces(section[:stop]))
        told = [Found(problem=one.problem, first=0, last=stop - 1) for one in found]
        if not told:
            told = [Found(problem=problem(ProblemKind.ASSERTION, said[0], name=said[1]), first=0, last=1)]
        yield from python.with_test(moved(told, first), _id(said))


def _inner(found: list[Found]) -> list[Found]:
    """Without the loader's word that it failed, where the reason stands inside of it."""
    return [one for one in found if not one.problem.message.startswith("Failed to import test module")] or found


READER = Reader(name="unittest", language="python", read=read, examples=(
    Example(output=f"""\
F
{_BAR}
FAIL: test_total (test_cart.TestCart.test_total)
{"-" * 70}
Traceback (most recent call last):
  File "/workspace/test_cart.py", line 5, in test_total
    self.assertEqual(total([1]), 2)
AssertionError: 1 != 2

{"-" * 70}
Ran 1 test in 0.000s

FAILED (failures=1)
""", problems=(("assertion", "test_cart.py", 5),)),
    Example(output=f".\n{'-' * 70}\nRan 1 test in 0.000s\n\nOK\n"),
))
