"""What the checks of a changed project left besides the change itself."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from windtunnel.core.change import ChangeSet
from windtunnel.core.effects import BlockedCall, Effects, FileEffect, NetworkAttempt
from windtunnel.core.trial import CheckReport
from windtunnel.tamper import is_runner
from windtunnel.workspace.effects import describe

_PLACE = "/workspace/"
Act = Literal["made", "changed", "deleted"]
_REBUILT = "virtual environment"
"""What builds install into; its files hold what the change is made of, so they differ by right."""


def traces(before: Sequence[CheckReport], after: Sequence[CheckReport], changes: ChangeSet) -> Effects:
    """All effects together, each file with its meaning; what the unchanged project leaves too counts as expected."""
    joined, usual = _joined(after), _joined(before)
    known = {(file.path, file.act): file.hash for file in usual.files}
    files = [_told(file, known) for file in _left(after, changes)]
    return replace(
        joined, files=tuple(files), network=tuple(_attempts(joined.network, usual.network)),
        blocked=tuple(_blocked(joined.blocked, usual.blocked)),
        processes_left=tuple(name for name in joined.processes_left if name not in usual.processes_left))


def _left(after: Sequence[CheckReport], changes: ChangeSet) -> Iterable[FileEffect]:
    """Files that any check left otherwise than the change has them; the last one to do so tells."""
    hashes = {_PLACE + change.relative_path: "" if change.operation == "delete" else
              hashlib.sha256(change.data).hexdigest() for change in changes}
    own = {_PLACE + folder for change in changes for folder in _folders(change.relative_path)}
    found: dict[str, FileEffect] = {}
    for file in (file for report in after for file in report.effects.files):
        if not file.path.startswith(_PLACE) or (file.kind == "folder" and file.path in own):
            continue
        if not _is_change(file, hashes):
            found[file.path] = file
        elif is_runner(file.path.removeprefix(_PLACE)):
            # Where the project's own settings were laid over the change's, what lay there was neither's.
            found.pop(file.path, None)
    return found.values()


def _told(file: FileEffect, known: Mapping[tuple[str, Act], str]) -> FileEffect:
    told = describe(file)
    if told.litter or (file.path, file.act) not in known:
        return told
    if told.runs_later not in ("", _REBUILT) and known[file.path, file.act] != file.hash:
        return told  # the unchanged project leaves something else there
    return replace(told, litter="also without the change", runs_later="")


def _attempts(found: Iterable[NetworkAttempt], usual: Iterable[NetworkAttempt]) -> Iterable[NetworkAttempt]:
    """Each target once, however often it was tried, without those that the unchanged project tries too."""
    known = {replace(attempt, count=1) for attempt in usual}
    counts: dict[NetworkAttempt, int] = {}
    for attempt in found:
        one = replace(attempt, count=1)
        counts[one] = counts.get(one, 0) + attempt.count
    return [replace(one, count=count) for one, count in counts.items() if one not in known]


def _blocked(found: Iterable[BlockedCall], usual: Iterable[BlockedCall]) -> Iterable[BlockedCall]:
    known = {call.name for call in usual}
    counts: dict[str, int] = {}
    for call in found:
        counts[call.name] = counts.get(call.name, 0) + call.count
    return [BlockedCall(name=name, count=count) for name, count in counts.items() if name not in known]


def _is_change(file: FileEffect, hashes: dict[str, str]) -> bool:
    if file.path not in hashes:
        return False
    return file.hash == hashes[file.path] if file.act != "deleted" else hashes[file.path] == ""


def _folders(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]


def _joined(reports: Sequence[CheckReport]) -> Effects:
    joined = Effects()
    for report in reports:
        joined = joined.joined(report.effects)
    return joined
