"""A section that ends every process of its sandbox, ours too: it is named, and the others are called without it.

No signal of a program reaches us out here, so what the harness wrote down last says who was under way. Each of those is
called alone; one that ends its sandbox alone is the one. What is left is called again together.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from windtunnel.core.result import ExecutionResult, Reason
from windtunnel.core.section import Call, Section
from windtunnel.sections.order import is_whole, told_of, under_way

MOST_SANDBOXES = 40
"""For one order; what is left then is told as not reached."""
ENDED_ALL = "it ended all processes of its sandbox"
NOT_REACHED = f"others ended {MOST_SANDBOXES} sandboxes before its turn came"
_ITS_OWN = frozenset({Reason.EXITED, Reason.KILLED})
"""Ways to end that are no limit of the sandbox: those say nothing about who met them."""
Asked = TypeVar("Asked", Section, Call)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part(Generic[Asked]):
    """Some of what was asked, and what was heard of it."""

    asked: tuple[Asked, ...]
    report: bytes = b""
    failed: str = ""
    """Why nothing was heard of it; empty where the report says it."""


def outlived(
    asked: Sequence[Asked], run: Callable[[Sequence[Asked]], tuple[bytes, ExecutionResult]],
) -> Iterator[Part[Asked]]:
    """All that was asked, in parts; ``run`` has some of it called in a sandbox of its own."""
    waiting = deque([tuple(asked)])
    for _ in range(MOST_SANDBOXES):
        if not waiting:
            return
        some = waiting.popleft()
        report, result = run(some)
        told = told_of(report)
        left = tuple(one for one in some if section_of(one).id not in told)
        if is_whole(report) or result.reason not in _ITS_OWN or not left or not report:
            yield Part(asked=some, report=report)
            continue
        yield Part(asked=tuple(one for one in some if section_of(one).id in told), report=report)
        if len(some) == 1:
            yield Part(asked=left, report=report, failed=ENDED_ALL if under_way(report) else "")
        else:
            waiting.extend(_again(left, under_way(report)))
    for some in waiting:
        yield Part(asked=some, failed=NOT_REACHED)


def _again(left: tuple[Asked, ...], suspects: frozenset[str]) -> Iterator[tuple[Asked, ...]]:
    """Those that were under way one by one, the others together; where nobody is known to have been, in halves."""
    if not suspects:
        middle = (len(left) + 1) // 2
        yield from filter(None, (left[:middle], left[middle:]))
        return
    yield from ((one,) for one in left if section_of(one).id in suspects)
    others = tuple(one for one in left if section_of(one).id not in suspects)
    if others:
        yield others


def section_of(one: Section | Call) -> Section:
    """Whose it is."""
    return one.section if isinstance(one, Call) else one
