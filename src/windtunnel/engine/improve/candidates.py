"""Edits worth a trial, most to gain first."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from windtunnel.checks.project import Folder
from windtunnel.engine.fix.base import Base
from windtunnel.engine.improve.improvement import Origin
from windtunnel.engine.improve.profile import Shares
from windtunnel.speedups.propose import Speedup, propose
from windtunnel.tamper import is_test

LEAST_SHARE = 0.02
"""Of the time of the workload: a function that takes less cannot gain a worthwhile part of it."""
_MOST_FILES = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One edit, and what there is to gain."""

    edit: Speedup
    key: str
    """The same for the same edit, whatever else of the file has changed."""
    share: float
    origin: Origin = Origin.RULE

    @property
    def worth(self) -> float:
        """What it is ordered by: the share of its function, times how likely it helps."""
        return self.share * self.edit.confidence


def own_files(folder: Folder, *, leave: Sequence[str]) -> tuple[str, ...]:
    """The project's code that may be changed: no tests, nothing of the workload."""
    return tuple(path for path in folder.glob("**/*.py")[:_MOST_FILES]
                 if not is_test(path) and path not in leave and not path.endswith(("conftest.py", "setup.py")))


def options(folder: Folder, texts: Mapping[str, str], *, files: Sequence[str], shares: Shares) -> list[Option]:
    """All edits of functions that take a part of the time, best first; of all functions where nothing was sampled."""
    found = [one for one in _all(Base(folder=folder, texts=texts), files=files, shares=shares)
             if one.share >= LEAST_SHARE or not shares.shares]
    return sorted(found, key=lambda one: (-one.worth, -one.edit.confidence, one.edit.path, one.edit.first_line))


def _all(base: Base, *, files: Sequence[str], shares: Shares) -> Iterator[Option]:
    for path in files:
        text = base.read(path)
        for edit in propose(path, text) if text is not None else ():
            yield Option(edit=edit, key=key_of(edit, text or ""), share=shares.of(
                path, first=edit.first_line, last=edit.last_line))


def key_of(edit: Speedup, before: str) -> str:
    """From the lines that the edit takes and brings, without their numbers."""
    lines = [line for line in difflib.unified_diff(before.splitlines(), edit.text.splitlines(), lineterm="", n=1)
             if not line.startswith(("@@", "---", "+++"))]
    return hashlib.sha256("\n".join((edit.path, edit.function, edit.rule, *lines)).encode(
        "utf-8", "surrogatepass")).hexdigest()
