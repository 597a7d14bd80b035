"""Sections that break with no condition at all, by a mistake that no input explains.

Only names that nobody defines and files that do not parse count: what else a section always raises may be meant, or
come from inputs that it was not made for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from windtunnel.core.section import Called, Ending, Section, SectionKind
from windtunnel.core.simulation import Failing

_MISTAKES = ("NameError", "UnboundLocalError")
_UNREADABLE = ("a syntax error",)
_MOST_PROGRAM = 4000
_IMPORT = ("import importlib, sys; sys.path.insert(0, {root!r}); "
           "globals().update(vars(importlib.import_module({module!r})))")
_READ = "compile(open({path!r}, 'rb').read(), {path!r}, 'exec')"


def failing_of(called: Iterable[Called], skipped: Iterable[Section]) -> tuple[Failing, ...]:
    """Those of the called sections, and files that were skipped since they do not parse."""
    found = (*_called(called), *_unread(skipped))
    return tuple(one for one in found if len(one.program) <= _MOST_PROGRAM)


def _called(called: Iterable[Called]) -> Iterator[Failing]:
    for one in called:
        start = _IMPORT.format(root=one.section.root or ".", module=one.section.module)
        if one.failed.startswith(tuple(f"{name}:" for name in _MISTAKES)):
            yield Failing(section=one.section.id, error=one.failed[:200], program=start)
        elif one.ends and all(end.how is Ending.RAISED and end.error in _MISTAKES for end in one.ends):
            first = one.ends[0]
            yield Failing(section=one.section.id, error=f"{first.error}: {first.message}"[:200],
                          program=f"{start}; {first.call}")


def _unread(skipped: Iterable[Section]) -> Iterator[Failing]:
    for one in skipped:
        if one.kind is SectionKind.FILE and one.reason.startswith(_UNREADABLE):
            yield Failing(section=one.id, error=one.reason[:200], program=_READ.format(path=one.path))
