"""A good verdict asked once more: whether the change mends the fault, or only what the tests look at."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from windtunnel.core.change import ChangeSet
from windtunnel.core.gate import Doubt, GateResult, GateVerdict
from windtunnel.core.ports import Rig
from windtunnel.engine.premises import check_project, overlay_of, trial_limits
from windtunnel.workspace.changes import check_changes

if TYPE_CHECKING:
    from windtunnel.engine.gate import Gate
    from windtunnel.engine.reverts import ChangedFile

_REFUSED = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)


def doubted(
    rig: Rig, asked: Gate, changes: ChangeSet, *, result: GateResult, files: Iterable[ChangedFile],
    test: str | Sequence[str] | None,
) -> GateResult:
    """The same, with the doubt in it; what is not good anyway is not asked, nor where ``skip`` is set."""
    if not result.success or result.thresholds.doubt == "skip":
        return result
    doubt = _doubt(rig, asked, changes, files=files, aside=result.set_aside, test=test)
    if doubt.state != "hollow" or result.thresholds.doubt == "allow":
        return replace(result, doubt=doubt)
    return replace(result, doubt=doubt, verdict=GateVerdict.NOT_GOOD, reasons=(f"hollow: {doubt.reason}",))


def _doubt(
    rig: Rig, asked: Gate, changes: ChangeSet, *, files: Iterable[ChangedFile], aside: Sequence[str],
    test: str | Sequence[str] | None,
) -> Doubt:
    from windtunnel.engine.disagreement import Rivalry, disagreement  # noqa: PLC0415 -- few changes come to it

    pairs = {file.path: (b"".join(file.old), file.after) for file in files if not file.is_new}
    try:
        return disagreement(rig, Rivalry(
            project=check_project(asked.project, private=rig.private), files=pairs, overlay=overlay_of(changes),
            test=test, env=asked.env, aside=aside, jobs=asked.jobs, given=_given(asked, pairs),
            limits=trial_limits(asked.limits, caps=replace(rig.caps, wall_seconds=rig.trial_seconds))))
    except _REFUSED as error:
        return Doubt(state="not judged", reason=f"the code before the change cannot be read: {str(error)[:200]}")


def _given(asked: Gate, files: Collection[str]) -> list[dict[str, bytes]]:
    """Other patches, as far as they change the same files and nothing else of the product that runs."""
    project = Path(asked.project)
    changes = [check_changes(each, project=project) for each in asked.alternatives]
    return [{one.relative_path: one.data for one in each if one.relative_path in files} for each in changes
            if all(one.operation != "delete" for one in each)]
