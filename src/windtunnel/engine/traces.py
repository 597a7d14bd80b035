"""What the checks of a changed project left besides the change itself."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from windtunnel.core.change import ChangeSet
from windtunnel.core.effects import Effects, FileEffect
from windtunnel.core.trial import CheckReport
from windtunnel.workspace.effects import describe

_PLACE = "/workspace/"


def traces(before: Sequence[CheckReport], after: Sequence[CheckReport], changes: ChangeSet) -> Effects:
    """All effects together, each file with its meaning; what the unchanged project leaves too counts as expected."""
    joined = _joined(after)
    usual = {(file.path, file.act) for file in _joined(before).files}
    hashes = {_PLACE + change.relative_path: "" if change.operation == "delete" else
              hashlib.sha256(change.data).hexdigest() for change in changes}
    own = {_PLACE + folder for change in changes for folder in _folders(change.relative_path)}
    kept = []
    for file in joined.files:
        if not file.path.startswith(_PLACE) or _is_change(file, hashes) or (file.kind == "folder" and file.path in own):
            continue
        told = describe(file)
        if not told.litter and (file.path, file.act) in usual:
            told = replace(told, litter="also without the change", runs_later="")
        kept.append(told)
    attempts = [attempt for attempt in joined.network if attempt not in _joined(before).network]
    return replace(joined, files=tuple(kept), network=tuple(attempts))


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
