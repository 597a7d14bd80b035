"""Weak tests: those that the fates show, and those whose text does."""

from __future__ import annotations

from collections.abc import Mapping

from windtunnel.checks.project import Folder
from windtunnel.core.mutation import MutationResult, State, Weakness, WeakTest
from windtunnel.core.result import Artifact
from windtunnel.core.testfile import is_test
from windtunnel.mutation.assertions import asserting_nothing


def hollow(
    result: MutationResult, folder: Folder, overlay: Mapping[str, Artifact | None], *, narrow: bool = False,
) -> tuple[WeakTest, ...]:
    """All weak tests of a run; of one that asserts nothing, that is the reason.

    ``narrow``: only files are read whose tests had something to say of a mutant.
    """
    if result.state is not State.JUDGED:
        return ()
    aside = {*result.failing, *result.flaky, *result.dependent}
    reached = {one.test: one.reached for one in result.weak}
    found = {}
    speaking = _speaking(result) if narrow else None
    for path in dict.fromkeys((*folder.glob("**/*.py"), *overlay)) if speaking is None else speaking:
        laid = overlay.get(path)
        data = (laid.data if laid is not None else None) if path in overlay else folder.read(path)
        if data is not None and is_test(path):
            for name in asserting_nothing(data, among=None if speaking is None else speaking[path]):
                test = f"{path}::{name}"
                if test not in aside:
                    found[test] = WeakTest(test=test, reason=Weakness.ASSERTS_NOTHING, reached=reached.get(test, 0))
    return (*found.values(), *(one for one in result.weak if one.test.split("[")[0] not in found))


def _speaking(result: MutationResult) -> dict[str, set[str]]:
    """Tests by file, without their values."""
    tests = {name for one in result.judged for name in (one.by, *one.tests)} | {one.test for one in result.weak}
    found: dict[str, set[str]] = {}
    for name in sorted(tests - {""}):
        path, _, test = name.partition("::")
        found.setdefault(path, set()).add(test.split("[", 1)[0])
    return found
