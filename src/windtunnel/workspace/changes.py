"""Changes that were proposed, checked against the project before anything is written.

A change set that passes is applied without surprise: every path is plain and below the project, no part of it is a
link, what is made is not there yet, what is changed or deleted is a plain file. See ``paths`` for what a path may be.

In the checked set every created file has a mode (0o644 unless given), a modified one only when its mode changes, and
what would leave its file as it is has been dropped, with a note.
"""

from __future__ import annotations

import stat
import unicodedata
from collections.abc import Iterable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import get_args

from windtunnel.core.change import ChangeSet, FileChange, Operation
from windtunnel.core.errors import UsageError
from windtunnel.core.limits import MIB
from windtunnel.workspace import beneath
from windtunnel.workspace.paths import check_path, folded, is_device, refusal, shown

MOST_CHANGES, MOST_FILE_BYTES, MOST_BYTES = 10_000, 32 * MIB, 128 * MIB
NEW_MODE = 0o644


def check_changes(changes: Iterable[FileChange], *, project: Path) -> ChangeSet:
    """The changes as a set that can be applied as it is, with notes; a typed refusal that names the path otherwise."""
    proposed = list(islice(changes, MOST_CHANGES + 1))
    if len(proposed) > MOST_CHANGES:
        raise UsageError(f"changes: more than {MOST_CHANGES} files in one set", field="changes")
    for change in proposed:
        _check_shape(change)
    _check_total(proposed)
    with beneath.opened(project) as root:
        return _Check(root, proposed).outcome()


def _check_total(proposed: list[FileChange]) -> None:
    total = sum(len(change.data) for change in proposed)
    if total > MOST_BYTES:
        raise UsageError(f"changes: {total} bytes in all; at most {MOST_BYTES} are taken", field="changes")


def _check_shape(change: object) -> None:
    """Path, operation, content and mode of one change, without a look at the disk."""
    if not isinstance(change, FileChange):
        raise UsageError(f"changes: not a FileChange: {shown(change)}", field="changes")
    path = check_path(change.relative_path)
    if change.operation not in get_args(Operation):
        raise refusal(path, f"operation {shown(change.operation)} is none of create, modify, delete")
    if change.operation == "delete":
        if change.new_content is not None or change.mode is not None:
            raise refusal(path, "a deletion has neither content nor mode")
        return
    _check_content(path, change)
    _check_mode(path, change.mode)


def _check_content(path: str, change: FileChange) -> None:
    if not isinstance(change.new_content, str | bytes):
        found = "missing" if change.new_content is None else type(change.new_content).__name__
        raise refusal(path, f"{change.operation} needs the whole new content as text or bytes, and it is {found}")
    try:
        size = len(change.data)
    except UnicodeEncodeError as error:
        raise refusal(path, "the content has half a letter that cannot be written as UTF-8; give bytes") from error
    if size > MOST_FILE_BYTES:
        raise refusal(path, f"{size} bytes; at most {MOST_FILE_BYTES} are taken for one file")


def _check_mode(path: str, mode: object) -> None:
    if mode is None:
        return
    if not isinstance(mode, int) or isinstance(mode, bool) or mode < 0:
        raise refusal(path, f"not a mode: {shown(mode)} (try 0o644 or 0o755)")
    if mode & ~0o777:
        raise refusal(path, f"mode {mode:#o} has more than permission bits, as setuid has (try 0o644 or 0o755)")
    if mode & 0o002:
        raise refusal(path, f"mode {mode:#o} lets everybody write (try 0o644 or 0o755)")
    if not mode & 0o400:
        raise refusal(path, f"mode {mode:#o} keeps the owner from reading (try 0o644 or 0o755)")


class _Check:
    """One set against one project."""

    def __init__(self, root: int, proposed: list[FileChange]) -> None:
        self.root, self.proposed = root, proposed
        self.notes: list[str] = []
        self.found = {change.relative_path: beneath.look_for_file(root, change.relative_path) for change in proposed}
        self._listings: dict[str, list[str]] = {}

    def outcome(self) -> ChangeSet:
        self._alone()
        self._files_and_folders()
        kept = [kept for change in self.proposed if (kept := self._one(change))]
        return ChangeSet(changes=tuple(kept), notes=tuple(self.notes))

    def _alone(self) -> None:
        """No path twice, and no two that some file system, or a person, takes for one."""
        seen: set[str] = set()
        spelt: dict[str, tuple[str, FileChange]] = {}
        for change in self.proposed:
            path = change.relative_path
            if path in seen:
                raise refusal(path, "stands twice in the set; give each file once")
            seen.add(path)
            parts = path.split("/")
            for depth in range(1, len(parts) + 1):
                prefix = "/".join(parts[:depth])
                spelling, other = spelt.setdefault(folded(prefix), (prefix, change))
                if spelling != prefix:
                    self._clash(change, other)

    def _clash(self, change: FileChange, other: FileChange) -> None:
        one, two = change.relative_path, other.relative_path
        makes = [each for each in (change, other) if each.operation == "create"]
        deletes = [each for each in (change, other) if each.operation == "delete"]
        if makes and not (deletes and folded(one) == folded(two)):
            raise refusal(one, f"differs only in case or spelling from {shown(two)} in the same set")
        self.notes.append(f"{one}: differs only in case or spelling from {two}")

    def _files_and_folders(self) -> None:
        """No path goes through a file that the set itself makes or leaves."""
        files = {change.relative_path for change in self.proposed if change.operation != "delete"}
        for path in files:
            parts = path.split("/")
            above = ("/".join(parts[:depth]) for depth in range(1, len(parts)))
            inside = next((folder for folder in above if folder in files), None)
            if inside is not None:
                raise refusal(path, f"the set makes {inside!r} a file, so nothing can lie in it")

    def _one(self, change: FileChange) -> FileChange | None:
        path, found = change.relative_path, self.found[change.relative_path]
        if is_device(path):
            self.notes.append(f"{path}: Windows cannot have a file of this name")
        if change.operation == "create":
            return self._create(change)
        if found is None:
            raise refusal(path, f"cannot {change.operation} it: there is no such file in the project")
        folder, _, name = path.rpartition("/")
        if name not in self._listing(folder, otherwise=name):
            raise refusal(path, "the project has it in another case or spelling; use its own")
        return change if change.operation == "delete" else self._modify(change, stat.S_IMODE(found.st_mode))

    def _create(self, change: FileChange) -> FileChange:
        path = change.relative_path
        if self.found[path] is not None:
            raise refusal(path, "cannot create it: it is in the project already (modify it instead)")
        if any(part.startswith("-") for part in path.split("/")):
            raise refusal(path, "a new name may not begin with a hyphen, which programs take for an option")
        self._siblings(path)
        return replace(change, mode=NEW_MODE if change.mode is None else change.mode)

    def _siblings(self, path: str) -> None:
        """What lies where the path leaves the folders that exist."""
        folder, parts = "", path.split("/")
        for part in parts:
            siblings = self._listing(folder, otherwise="")
            if part not in siblings:
                self._compare(path, part, siblings=siblings)
                return
            folder = f"{folder}/{part}" if folder else part

    def _compare(self, path: str, part: str, *, siblings: list[str]) -> None:
        plain, loose = unicodedata.normalize("NFC", part), folded(part)
        deleted = {change.relative_path.rpartition("/")[2] for change in self.proposed if change.operation == "delete"}
        for sibling in siblings:
            if unicodedata.normalize("NFC", sibling) == plain and sibling not in deleted:
                raise refusal(path, f"cannot be told by eye from {shown(sibling)}, which the project has")
            if folded(sibling) == loose and sibling not in deleted:
                self.notes.append(f"{path}: differs only in case or spelling from {sibling}, which the project has")

    def _modify(self, change: FileChange, old: int) -> FileChange | None:
        mode = None if change.mode == old & 0o777 else change.mode
        found = self.found[change.relative_path]
        same_size = found is not None and found.st_size == len(change.data)
        if mode is None and same_size:
            now = beneath.read(self.root, change.relative_path)
            if now is not None and now[0] == change.data:
                self.notes.append(f"{change.relative_path}: is already so; left out")
                return None
        return replace(change, mode=mode)

    def _listing(self, folder: str, *, otherwise: str) -> list[str]:
        """Names in a folder; ``otherwise`` stands for a folder that may be entered but not listed."""
        if folder not in self._listings:
            self._listings[folder] = beneath.names(self.root, folder)
        return self._listings[folder] or [otherwise]
