"""A project's files as a patch leaves them, kept in memory while it is read.

The parts of one commit are laid against the files as they were before it, as git does, so two files may change
places. A file that comes up again belongs to a later commit of a series.
"""

from __future__ import annotations

import stat
from dataclasses import dataclass

from windtunnel.core.change import FileChange
from windtunnel.workspace import beneath
from windtunnel.workspace.changes import NEW_MODE
from windtunnel.workspace.fitting import fit, is_applied
from windtunnel.workspace.hunks import Misfit
from windtunnel.workspace.patch_names import NOTHING
from windtunnel.workspace.patch_parts import FilePart, refuse
from windtunnel.workspace.paths import check_path

_EXECUTE = 0o111
_SAVED = {".orig", ".old", ".bak", "~"}


@dataclass(frozen=True, slots=True)
class _File:
    content: bytes
    mode: int


class Draft:
    """Takes the parts of a patch, gives the changes."""

    def __init__(self, root: int) -> None:
        """Against the folder with this descriptor."""
        self.root = root
        self.notes: list[str] = []
        self._disk: dict[str, _File | None] = {}
        self._before: dict[str, _File | None] = {}
        self._after: dict[str, _File | None] = {}
        self._sources: set[str] = set()
        self._crowded: dict[str, str] = {}
        """What is made where something lies, which must make way within the same commit."""
        self._commit = 0

    def take(self, part: FilePart) -> None:
        """Apply one part, or refuse it with what was expected and found."""
        self._settle(part)
        source, target = (None if name == NOTHING else check_path(name) for name in self._names(part))
        source, target = None if part.created else source, None if part.deleted else target
        if (source in self._sources and part.moved != "copy") or self._is_later(source) or part.commit != self._commit:
            self._next_commit(part.commit)
        if source is None and target is not None:
            self._create(part, target)
        elif source is not None:
            self._change(part, source, target)

    def changes(self) -> list[FileChange]:
        """What is different from the disk at the end, in the order in which the patch has it."""
        self._next_commit(self._commit)
        return [change for path in self._before if (change := self._difference(path))]

    def _names(self, part: FilePart) -> tuple[str, str]:
        """Old and new name; a plain diff of two folders or of a saved copy has one file under two names."""
        old, new = part.old, part.new
        if part.moved or NOTHING in (old, new):
            return old, new
        if part.git and old != new:
            refuse(part.name, f"two names without a rename: {old!r} and {new!r}")
        name = self._one_name(old, new)
        if name not in (old, new) or old != new:
            self.notes.append(f"{name}: named {old} and {new} in the patch")
        return name, name

    def _one_name(self, old: str, new: str) -> str:
        """The file of the project that both names mean."""
        bare = new.partition("/")[2]
        if old == new:
            wrong = new[1:2] == "/" and new[0] in "ab" and not self._has(new) and self._has(bare)
            return bare if wrong else new
        if bare and old.partition("/")[2] == bare:
            return bare
        saved = next((one for one, two in ((old, new), (new, old)) if two.removeprefix(one) in _SAVED), None)
        there = [name for name in (new, old) if self._has(name)]
        if saved is None and len(there) != 1:
            refuse(new, f"also named {old!r}, and the project has {'both' if there else 'neither'}")
        return saved or there[0]

    def _has(self, name: str) -> bool:
        return bool(name) and self._get(check_path(name)) is not None

    def _settle(self, part: FilePart) -> None:
        """A plain diff that adds to nothing makes a file where there is none."""
        empty = len(part.hunks) == 1 and not part.hunks[0].old and part.hunks[0].old_start == 0
        if part.created or part.git or not empty or part.old == NOTHING:
            return
        _, name = self._names(part)
        if self._get(check_path(name)) is None:
            part.old, part.new, part.created = NOTHING, name, True
            self.notes.append(f"{name}: the patch adds to an empty file, and there is none; taken as a new file")

    def _is_later(self, source: str | None) -> bool:
        return source is not None and source in self._after and self._before.get(source) is None

    def _next_commit(self, commit: int) -> None:
        for path, why in self._crowded.items():
            if path not in self._sources:
                refuse(path, why)
        self._crowded.clear()
        self._before |= self._after
        self._after, self._sources, self._commit = {}, set(), commit

    def _get(self, path: str) -> _File | None:
        if path not in self._before:
            if path not in self._disk:
                found = beneath.read(self.root, path)
                self._disk[path] = _File(*found) if found else None
            return self._disk[path]
        return self._before[path]

    def _create(self, part: FilePart, path: str) -> None:
        content = b"".join(line for hunk in part.hunks for line in hunk.new)
        now = self._after[path] if path in self._after else self._get(path)
        if now is not None:
            same = now.content == content
            self._crowded[path] = ("applied already: it is in the project as the patch would make it" if same else
                                   "the patch makes it, and it is in the project already with other content")
        self._put(path, _File(content, part.new_mode or NEW_MODE))

    def _change(self, part: FilePart, source: str, target: str | None) -> None:
        old = self._get(source)
        if old is None:
            refuse(source, _missing(part, moved=target is not None and self._get(target) is not None))
        content = self._fitted(part, source, old)
        if part.moved != "copy":
            self._sources.add(source)
        if target is None:
            if content and part.hunks:
                refuse(source, f"the patch deletes it, and would leave {len(content)} bytes that it does not know")
            self._put(source, None)
            return
        if part.moved:
            self._make_way(part, source, target)
        self._put(target, _File(content, self._mode(part, target, old.mode)))

    def _make_way(self, part: FilePart, source: str, target: str) -> None:
        if target != source and self._get(target) is not None:
            self._crowded[target] = f"the patch makes it by a {part.moved}, and it is in the project already"
        if part.moved == "rename" and source not in self._after:
            self._put(source, None)
        past = {"rename": "renamed", "copy": "copied"}[part.moved]
        self.notes.append(f"{target}: {past} from {source}")

    def _fitted(self, part: FilePart, path: str, old: _File) -> bytes:
        if not part.hunks:
            return old.content
        try:
            content, notes = fit(old.content, part.hunks)
        except Misfit as error:
            applied = is_applied(old.content, part.hunks)
            refuse(path, "applied already: the file is as the patch would leave it" if applied else str(error))
        self.notes += [f"{path}: {note}" for note in notes]
        return content

    def _mode(self, part: FilePart, path: str, old: int) -> int:
        """The old bits, with the right to execute as the patch has it: for all who may read, or for none."""
        if part.new_mode is None:
            return old
        if part.old_mode is not None and bool(part.old_mode & _EXECUTE) != bool(old & 0o100):
            self.notes.append(f"{path}: the mode in the project ({old:o}) is not the one the patch knows")
        return (old | (old & 0o444) >> 2) if part.new_mode & _EXECUTE else old & ~_EXECUTE

    def _put(self, path: str, file: _File | None) -> None:
        if path not in self._before:
            self._before[path] = self._get(path)
        self._after[path] = file

    def _difference(self, path: str) -> FileChange | None:
        found = beneath.read(self.root, path)
        disk, file = (_File(*found) if found else None), self._before[path]
        if file is None:
            return FileChange(path, "delete") if disk else None
        if disk is None:
            return FileChange(path, "create", file.content, file.mode)
        mode = None if file.mode == disk.mode else stat.S_IMODE(file.mode) & 0o777
        return FileChange(path, "modify", file.content, mode)


def _missing(part: FilePart, *, moved: bool) -> str:
    if part.deleted:
        return "the patch deletes it, and it is not in the project: applied already, or another project"
    if part.moved and moved:
        return f"the patch moves it to {part.new}, which is there already while this is not: applied already"
    return "the patch changes it, and it is not in the project"
