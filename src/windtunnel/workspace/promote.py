"""A change applied for real, as a whole or not at all, and taken back.

What holds: nothing is written unless every touched file is as the trial saw it. After a crash at any point ``recover``
leaves the project byte for byte as before or as after. Links are never followed. Two processes do not promote at once,
be it with one journal or in one project.

What does not hold: someone who writes to a touched file in the instant between the last look at it and the rename
loses that write. A reader may see one file new and the next still old.

Decided: modes are kept, without setuid and setgid, which new content must not inherit. As root a changed file keeps
its owner and a made one gets that of its folder; an ordinary user becomes the owner of what is replaced, as with any
editor that saves by renaming. Of several hard links to one file only the named one changes. ``user.*`` attributes and
access lists follow, other extended attributes do not. A deletion leaves its folder. Times of change are those of the
promotion and of the undo, so that build tools notice both.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.workspace import beneath, journal
from windtunnel.workspace.beneath import Found
from windtunnel.workspace.changes import NEW_MODE, check_changes
from windtunnel.workspace.journal import Entry, Touched
from windtunnel.workspace.paths import check_path
from windtunnel.workspace.placing import Placing, Step, attributes, dress, usual_mask
from windtunnel.workspace.recovery import UNFINISHED, Around, Recovered, end, recover_all, unseen

_LOCK_SECONDS = 30.0


class ProjectMoved(UsageError):
    """Files of the project are not as they were seen; nothing was written."""

    code = "project-moved"

    def __init__(self, paths: tuple[str, ...], *, since: str) -> None:
        """Name the files."""
        named = ", ".join(paths[:10]) + (f" and {len(paths) - 10} more" if len(paths) > 10 else "")  # noqa: PLR2004
        super().__init__(f"project: changed since {since}: {named}", field="project")
        self.paths = paths


def _quiet(act: str) -> None:
    del act


def promote(
    project: Path, changes: ChangeSet, *, seen: Mapping[str, str | None], folder: Path, trial: str,
    step: Step = _quiet, around: Around = unseen,
) -> str:
    """Apply the changes, if every touched file still has the SHA-256 in ``seen`` (None: is not there).

    Gives the id of the journal's entry in ``folder``, by which ``undo`` takes it back. ``around`` is called for each
    entry that a crash left unfinished.
    """
    project = project.absolute()
    _check_apart(project, folder)
    journal.open_folder(folder)
    with journal.locked(folder), _alone(project) as root:
        recover_all(folder, step=step, around=around)
        found = _as_seen(root, changes, seen)
        checked = check_changes(changes, project=project)
        try:
            entry = _write_down(root, folder, project=project, changes=checked, found=found, trial=trial, step=step)
        except OSError as error:
            journal.sweep(folder)
            raise SandboxFailure(f"nothing was applied: the journal cannot be written: {error}") from error
        _apply(Placing(root=root, folder=folder, entry=entry, step=step), found)
        journal.prune(folder)
        return entry.id


def _check_apart(project: Path, folder: Path) -> None:
    if folder.resolve().is_relative_to(project.resolve()):
        raise UsageError(f"project: the journal {folder} lies inside the project {project}", field="project")


@contextlib.contextmanager
def _alone(project: Path) -> Iterator[int]:
    """The project's descriptor, locked against other journals; a file system without locks goes without."""
    with beneath.opened(project) as root:
        own = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=root)
        try:
            with contextlib.suppress(OSError):
                if not journal.take(own, seconds=_LOCK_SECONDS):
                    raise SandboxFailure(f"another process has been changing {project} for {_LOCK_SECONDS:g} seconds")
            yield root
        finally:
            os.close(own)


def _as_seen(root: int, changes: ChangeSet, seen: Mapping[str, str | None]) -> dict[str, Found | None]:
    found: dict[str, Found | None] = {}
    moved: list[str] = []
    for change in changes:
        path = check_path(change.relative_path)
        if path not in seen:
            raise UsageError(f"seen: has no hash for {path}", field="seen")
        try:
            found[path] = now = beneath.find(root, path)
        except UsageError:
            moved.append(path)
            continue
        if (now.sha if now else None) != seen[path]:
            moved.append(path)
    if moved:
        raise ProjectMoved(tuple(moved), since="the trial")
    return found


def _write_down(
    root: int, folder: Path, *, project: Path, changes: ChangeSet, found: Mapping[str, Found | None], trial: str,
    step: Step,
) -> Entry:
    name = journal.new_name(folder)
    place = journal.begin(folder, name)
    step("begun")
    files = []
    for number, change in enumerate(changes):
        file = _touched(root, change, found[change.relative_path])
        files.append(file)
        old = beneath.read(root, file.path)
        if old is not None:
            journal.write(place / "old" / str(number), old[0])
        if file.new_mode is not None:
            journal.write(place / "new" / str(number), change.data)
            with (place / "new" / str(number)).open("rb") as staged:
                dress(staged.fileno(), mode=file.new_mode, file=file)
        step(f"staged {number}")
    entry = Entry(id=name, trial=trial, project=str(project), time=journal.now(), files=tuple(files),
                  folders=tuple(_missing_folders(root, changes)))
    journal.commit(folder, entry)
    step("journalled")
    return entry


def _touched(root: int, change: FileChange, old: Found | None) -> Touched:
    path, mode = change.relative_path, change.mode
    new_mode: int | None = None
    if change.operation != "delete":
        new_mode = (old.mode & 0o777 if mode is None else mode) if old else (
            (NEW_MODE if mode is None else mode) & ~usual_mask())
    return Touched(
        path=path, old_sha=old.sha if old else None, old_mode=old.mode if old else None, new_mode=new_mode,
        new_sha=None if new_mode is None else hashlib.sha256(change.data).hexdigest(),
        owner=_owner(root, path, old), attributes=attributes(root, path) if old else {})


def _owner(root: int, path: str, old: Found | None) -> tuple[int, int] | None:
    """Of the old file, or of the nearest folder that exists; None for a new file of an ordinary user."""
    if old is not None:
        return old.stat.st_uid if os.geteuid() == 0 else -1, old.stat.st_gid
    if os.geteuid() != 0:
        return None
    above = os.fstat(root)
    for folder in _parents(path):
        above = beneath.look(root, folder) or above
    return above.st_uid, above.st_gid


def _parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]


def _missing_folders(root: int, changes: ChangeSet) -> list[str]:
    wanted = {folder for change in changes if change.operation != "delete" for folder in _parents(change.relative_path)}
    return [folder for folder in sorted(wanted, key=lambda folder: folder.count("/")) if not beneath.look(root, folder)]


def _apply(placing: Placing, found: Mapping[str, Found | None]) -> None:
    entry, folder, step = placing.entry, placing.folder, placing.step
    try:
        for number, file in enumerate(entry.files):
            step(f"placing {number}")
            _look_again(placing, file, found[file.path])
            placing.forward(number)
            step(f"placed {number}")
        journal.mark(folder, entry.id, "done")
        step("done")
    except BaseException as error:
        told = end(folder, entry, step=_quiet).told
        if isinstance(error, OSError):
            raise SandboxFailure(f"stopped by {error}: {told}") from error
        raise


def _look_again(placing: Placing, file: Touched, found: Found | None) -> None:
    """Notice a file that changed since it was compared, without reading it again."""
    now = beneath.look(placing.root, file.path)
    mark = (now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns) if now else None
    if mark != (found.mark if found else None):
        raise ProjectMoved((file.path,), since="the trial")


def undo(
    project: Path, *, folder: Path, entry: str | None = None, force: bool = False, step: Step = _quiet,
    around: Around = unseen,
) -> Entry:
    """Take a promotion back: bytes, modes, and the folders it made; the last one unless an entry is named.

    Only if its files are still as it left them, or with ``force``; what is replaced then stays in the journal. Where a
    crash left one half taken back or half applied, that is the one: it is brought to its end, and no other is touched.
    Gives the entry that was undone.
    """
    project = project.absolute()
    journal.open_folder(folder)
    with journal.locked(folder), _alone(project) as root:
        ended = recover_all(folder, step=step, around=around)
        mine = [one for one in ended if one.entry.project == str(project) and entry in (None, one.entry.id)]
        if cut_short := [one for one in mine if one.entry.state != "applied"]:
            return _undone(cut_short[-1])
        chosen = _choose(entries(folder, project), entry)
        placing = Placing(root=root, folder=folder, entry=chosen, step=step)
        _check_undoable(placing, force=force)
        if force:
            for number, file in enumerate(chosen.files):
                if not placing.is_new(file):
                    placing.keep(number)
            journal.mark(folder, chosen.id, "forced")
        journal.mark(folder, chosen.id, "undoing")
        step("undoing")
        return _undone(end(folder, replace(chosen, state="undoing"), step=step))


def _undone(ended: Recovered) -> Entry:
    if ended.entry.state != "undone":
        raise SandboxFailure(f"could not be undone: {ended.told}")
    return ended.entry


def meant(project: Path, *, folder: Path, entry: str | None = None) -> Entry | None:
    """What an undo would be about: the entry named, else the last that a crash left unfinished, else the last applied.

    None where there is none.
    """
    known = entries(folder, project)
    wanted = [one for one in known if one.id == entry] if entry is not None else [
        *(one for one in known if one.state in UNFINISHED), *(one for one in known if one.state == "applied")]
    return wanted[0] if wanted else None


def _choose(known: list[Entry], name: str | None) -> Entry:
    if name is None:
        chosen = next((entry for entry in known if entry.state == "applied"), None)
        if chosen is None:
            raise UsageError("entry: nothing was applied here that could be undone", field="entry")
        return chosen
    chosen = next((entry for entry in known if entry.id == name), None)
    if chosen is None or chosen.state != "applied":
        what = "no such entry for this project" if chosen is None else f"it is {chosen.state}"
        raise UsageError(f"entry: {name[:80]!r} cannot be undone: {what}", field="entry")
    return chosen


def _check_undoable(placing: Placing, *, force: bool) -> None:
    """Refuse what the promotion did not leave; a folder or link in the way is refused also with force."""
    moved = []
    for file in placing.entry.files:
        beneath.look_for_file(placing.root, file.path)
        if not force and not placing.is_new(file):
            moved.append(file.path)
    if moved:
        raise ProjectMoved(tuple(moved), since=f"it was applied ({placing.entry.id})")


def entries(folder: Path, project: Path | None = None) -> list[Entry]:
    """What was applied, newest first; of one project, or of all."""
    known = reversed(journal.load_all(folder))
    return [entry for entry in known if project is None or entry.project == str(project.absolute())]


def recover(folder: Path, *, step: Step = _quiet, around: Around = unseen) -> list[str]:
    """Finish or take back what a crash left half done, and say what was done; for the start of every program.

    Gives nothing when there is nothing to do, or while another process is at work, which recovers by itself.
    """
    if not folder.is_dir():
        return []
    with journal.locked(folder, wait=False) as held:
        return [one.told for one in recover_all(folder, step=step, around=around)] if held else []
