"""Tests of a changed project against those of the unchanged one, by id."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from windtunnel.core.trial import CheckReport, Delta, ExecutionTestResult, Status

Tests = Mapping[str, ExecutionTestResult]


def tests_of(reports: Iterable[CheckReport]) -> dict[str, ExecutionTestResult]:
    """All tests by id; of two results for one id the worse one counts."""
    found: dict[str, ExecutionTestResult] = {}
    for report in reports:
        for test in report.tests:
            known = found.get(test.id)
            if known is None or (test.status.bad and not known.status.bad):
                found[test.id] = test
    return found


def compare(before: Tests, after: Tests, *, flaky: Collection[str] = ()) -> Delta:
    """What became of each test; one that is known to be flaky stands in that list alone."""
    lists: dict[str, list[str]] = {}
    for name in sorted(before.keys() | after.keys()):
        where = "flaky" if name in flaky else _fate(before.get(name), after.get(name))
        if where == "vanished" and before[name].status.bad and _opened(name, after):
            where = "fixed"
        lists.setdefault(where, []).append(name)
    passing = len(lists.pop("still_passing", ()))
    lists.pop("still_not_run", None)
    return Delta(still_passing=passing, **{name: tuple(ids) for name, ids in lists.items()})


def _fate(before: ExecutionTestResult | None, after: ExecutionTestResult | None) -> str:
    if after is None:
        return "vanished"
    if before is None:
        return "new_failing" if after.status.bad else "new"
    return _changed(before.status, after.status)


def _opened(name: str, after: Tests) -> bool:
    """Whether a name stood for a file that could not be loaded, and its tests are reported now."""
    return any(each.startswith((f"{name}::", f"{name}.")) for each in after)


def _changed(before: Status, after: Status) -> str:
    if after.bad:
        return "still_failing" if before.bad else "broken"
    if after.good:
        return "fixed" if before.bad else "still_passing" if before.good else "new"
    return "silenced" if before.good or before.bad else "still_not_run"


def suspects(delta: Delta) -> tuple[str, ...]:
    """Tests whose status changed, and which are run again to tell flaky from real."""
    return (*delta.fixed, *delta.broken, *delta.new_failing)


def with_proposed(delta: Delta, before: Tests, proposed: Tests) -> Delta:
    """Add what only the change's own tests show: tests that are new there."""
    known = before.keys() | set(delta.new) | set(delta.new_failing)
    added = [test for name, test in sorted(proposed.items()) if name not in known]
    return replace(
        delta, new=(*delta.new, *(test.id for test in added if not test.status.bad)),
        new_failing=(*delta.new_failing, *(test.id for test in added if test.status.bad)))


def without(delta: Delta, names: Collection[str]) -> Delta:
    """The same without tests that no longer apply."""
    def kept(ids: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name for name in ids if name not in names)

    return replace(
        delta, broken=kept(delta.broken), vanished=kept(delta.vanished), silenced=kept(delta.silenced),
        still_failing=kept(delta.still_failing), new_failing=kept(delta.new_failing))
