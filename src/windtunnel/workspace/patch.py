"""Unified diffs and git patches, read against a project into whole files, and written from them.

Reading writes nothing. Content is bytes from end to end, so encodings do not matter; line ends of the file are kept.
Everything that did not fit byte for byte at the line the patch names is in the notes of the set. Binary patches,
symbolic links and submodules are refused.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from windtunnel.core.change import ChangeSet
from windtunnel.core.errors import UsageError
from windtunnel.core.limits import MIB
from windtunnel.workspace import beneath
from windtunnel.workspace.changes import check_changes
from windtunnel.workspace.changes_json import read_changes_json
from windtunnel.workspace.draft import Draft
from windtunnel.workspace.patch_parts import read_parts
from windtunnel.workspace.patch_text import write_patch

__all__ = ["read_changes_json", "read_patch", "write_patch"]
MOST_BYTES = 256 * MIB


def read_patch(patch: bytes | str, *, project: Path) -> ChangeSet:
    """The files as the patch leaves them, all or nothing; a typed error says which file and hunk do not fit.

    A series of patches one after the other is read as one change.
    """
    data = (patch.encode("utf-8", "surrogateescape") if isinstance(patch, str) else patch).removeprefix(b"\xef\xbb\xbf")
    if len(data) > MOST_BYTES:
        raise UsageError(f"patch: {len(data)} bytes; at most {MOST_BYTES} are read", field="patch")
    if not data.strip():
        raise UsageError("patch: empty; nothing is changed by it", field="patch")
    parts, notes = read_parts(data)
    if not parts:
        raise UsageError("patch: no unified diff in it (try the output of git diff or diff -u)", field="patch")
    with beneath.opened(project) as root:
        draft = Draft(root)
        for part in parts:
            draft.take(part)
        changes = draft.changes()
    checked = check_changes(changes, project=project)
    return replace(checked, notes=(*notes, *draft.notes, *checked.notes))
