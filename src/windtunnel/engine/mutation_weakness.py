"""Weak tests: those that the fates show, and those whose text does."""

from __future__ import annotations

from collections.abc import Mapping

from windtunnel.checks.project import Folder
from windtunnel.core.mutation import MutationResult, State, Weakness, WeakTest
from windtunnel.core.result import Artifact
from windtunnel.mutation.assertions import asserting_nothing
from windtunnel.tamper import is_test


def hollow(result: MutationResult, folder: Folder, overlay: Mapping[str, Artifact | None]) -> tuple[WeakTest, ...]:
    """All weak tests of a run; of one that asserts nothing, that is the reason."""
    if result.state is not State.JUDGED:
        return ()
    aside = {*result.failing, *result.flaky, *result.dependent}
    reached = {one.test: one.reached for one in result.weak}
    found = {}
    for path in dict.fromkeys((*folder.glob("**/*.py"), *overlay)):
        laid = overlay.get(path)
        data = (laid.data if laid is not None else None) if path in overlay else folder.read(path)
        if data is not None and is_test(path):
            for name in asserting_nothing(data):
                test = f"{path}::{name}"
                if test not in aside:
                    found[test] = WeakTest(test=test, reason=Weakness.ASSERTS_NOTHING, reached=reached.get(test, 0))
    return (*found.values(), *(one for one in result.weak if one.test.split("[")[0] not in found))
