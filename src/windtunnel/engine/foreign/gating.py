"""The part of other languages than Python in a gate: which files of a change they judge, and all of it put back."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from windtunnel.checks.discover import discover
from windtunnel.checks.project import Folder
from windtunnel.core.change import ChangeSet
from windtunnel.core.mutation import Fate, MutationResult
from windtunnel.core.ports import Rig
from windtunnel.core.result import Artifact, Reason
from windtunnel.core.trial import Check, CheckReport, Checks
from windtunnel.engine.foreign import door
from windtunnel.engine.premises import overlay_of

if TYPE_CHECKING:
    from windtunnel.engine.foreign.families import Family
    from windtunnel.engine.gate import Gate
    from windtunnel.engine.mutation import Mutation
    from windtunnel.engine.reverts import ChangedFile

Told = tuple[Fate, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Others:
    """The test commands of a project that judge other languages than Python; none in most projects."""

    folder: Folder
    checks: Checks = field(default_factory=Checks)
    commands: tuple[tuple[Family, Check], ...] = ()

    def is_product(self, path: str) -> bool:
        """Whether a file is product code that one of them judges."""
        return any(family.knows(path) for family, _ in self.commands)

    def changed(self, path: str, before: bytes | None, after: bytes) -> ChangedFile:
        """Such a file, before and after; a ``UsageError`` says why it cannot be judged."""
        from windtunnel.engine.foreign.reverting import ForeignFile  # noqa: PLC0415 -- it loads the grammars

        return ForeignFile(path, before, after)


def others(folder: Folder, test: str | Sequence[str] | None) -> Others:
    """Those of a project; ``test`` is the command that was given."""
    if not door.concerns(folder, test):
        return Others(folder=folder)
    from windtunnel.engine.foreign.families import judges  # noqa: PLC0415 -- the same

    checks = discover(folder, build="", lint="", test=test)
    return Others(folder=folder, checks=checks, commands=tuple(judges(checks)))


def exempting(files: Sequence[ChangedFile]) -> tuple[str, ...]:
    """Comments by which a change would keep its own lines from being judged, to be read."""
    return tuple(text for file in files for text in getattr(file, "exempting", ()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """A change to be put back in all of its product code at once."""

    rig: Rig
    asked: Gate
    mutation: Mutation
    changes: ChangeSet
    files: Mapping[str, ChangedFile]
    told: MutationResult
    others: Others

    def without(self, python: Callable[[ChangeSet], Told] | None) -> Told:
        """Whether a test fails without the change that passes with it, in any of its languages, and which.

        ``python`` answers for the Python part, from a change without the product code of the other languages.
        """
        until = time.monotonic() + self.asked.seconds
        mine = [(family, check) for family, check in self.others.commands
                if any(family.knows(path) for path in self.changes.paths)]
        rest = ChangeSet(changes=tuple(each for each in self.changes if not self.others.is_product(each.relative_path)))
        found = [python(rest)] if python is not None else []
        for family, check in mine:
            if found and found[-1][0] is Fate.KILLED:
                break
            found.append(self._of(family, check, seconds=max(1.0, until - time.monotonic())))
        return max(found, key=lambda told: _WEIGHTS.get(told[0], 1), default=(Fate.NOT_JUDGED, ""))

    def _of(self, family: Family, check: Check, *, seconds: float) -> Told:
        from windtunnel.engine.foreign.setting import bench_of  # noqa: PLC0415 -- the same

        bench, _, _ = bench_of(self.rig, self.mutation, self.others.folder, checks=self.others.checks, family=family,
                               check=check)
        bench = bench.within(seconds)
        return told_of(replace(bench, overlay=self._put_back()).again(), self._aside(), before=bench.again)

    def _put_back(self) -> dict[str, Artifact | None]:
        """The change without its product code: the tests that it brings stay, also those in product files."""
        from windtunnel.engine.mutation import is_product  # noqa: PLC0415 -- it stands above this file

        laid = {}
        for path, file in overlay_of(self.changes).items():
            text = getattr(self.files.get(path), "put_back", b"")
            if not is_product(path) and not self.others.is_product(path):
                laid[path] = file
            elif file is not None and text.strip():
                laid[path] = replace(file, data=text)
        return laid

    def _aside(self) -> frozenset[str]:
        return frozenset((*self.told.failing, *self.told.flaky))


_WEIGHTS = {Fate.KILLED: 2, Fate.SURVIVED: 0, Fate.UNTESTED: 0}
"""What counts where several languages have a part: one test that fails, then what is not known."""


def told_of(report: CheckReport, aside: frozenset[str], *, before: Callable[[], CheckReport]) -> Told:
    """What a run without the change says; ``before`` runs the tests with it, which shows those that are now gone."""
    from windtunnel.engine.foreign.fates import uncompiled  # noqa: PLC0415 -- the same

    refused = uncompiled(report)
    if refused is not None:
        return Fate.KILLED, f"the build of the tests ({refused.why})"
    ended = report.reason is Reason.EXITED
    failing = next((test.id for test in report.tests if test.status.bad and test.id not in aside
                    and test.category != "timeout" and (ended or test.category != "crash")), "")
    if failing:
        return Fate.KILLED, failing
    if not ended:
        return Fate.TIMEOUT if report.reason in (Reason.TIMEOUT, Reason.CPU_TIME) else Fate.FAILED, ""
    there = {test.id for test in report.tests}
    gone = next((test.id for test in before().tests if test.status.good and test.id not in there | aside), "")
    return (Fate.KILLED, gone) if gone else (Fate.SURVIVED, "")
