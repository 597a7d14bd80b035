"""Entries of the journal that are half done, brought to an end."""

from __future__ import annotations

from pathlib import Path

from windtunnel.core.errors import UsageError
from windtunnel.workspace import beneath, journal
from windtunnel.workspace.journal import Entry
from windtunnel.workspace.placing import Placing, Step


def recover_all(folder: Path, *, step: Step) -> list[str]:
    """Bring every entry to an end, and say what was done; the caller holds the lock."""
    journal.sweep(folder)
    unfinished = [entry for entry in journal.load_all(folder) if entry.state in ("half done", "undoing")]
    return [_end(folder, entry, step=step) for entry in unfinished]


def _end(folder: Path, entry: Entry, *, step: Step) -> str:
    try:
        with beneath.opened(Path(entry.project)) as root:
            placing = Placing(root=root, folder=folder, entry=entry, step=step)
            return _finish_undo(placing) if entry.state == "undoing" else _finish(placing)
    except (OSError, UsageError) as error:
        return f"{entry.project}: {entry.id} is {entry.state} and stays so for now: {error}"


def _finish(placing: Placing) -> str:
    entry, folder = placing.entry, placing.folder
    if all(placing.is_new(file) for file in entry.files):
        placing.clear(folders=False)
        journal.mark(folder, entry.id, "done")
        return f"{entry.project}: {entry.id} was applied whole; marked so"
    left = _put_back(placing, forced=False)
    if left:
        return _stick(placing, left)
    journal.discard(folder, entry.id)
    return f"{entry.project}: {entry.id} was half applied; taken back"


def _finish_undo(placing: Placing) -> str:
    entry, folder = placing.entry, placing.folder
    left = _put_back(placing, forced=(folder / entry.id / "forced").exists())
    if left:
        return _stick(placing, left)
    journal.mark(folder, entry.id, "undone")
    placing.step("undone")
    return f"{entry.project}: {entry.id} is undone"


def _put_back(placing: Placing, *, forced: bool) -> list[str]:
    """Make every file as it was; those that are neither old nor new are left alone, unless forced, and named."""
    left = []
    for number, file in reversed(list(enumerate(placing.entry.files))):
        if placing.is_old(file):
            continue
        if not forced and not placing.is_new(file):
            left.append(file.path)
            continue
        placing.step(f"putting back {number}")
        placing.back(number)
        placing.step(f"put back {number}")
    placing.clear(folders=True)
    return left


def _stick(placing: Placing, left: list[str]) -> str:
    """Keep the old bytes for a person, and say so once."""
    entry = placing.entry
    journal.mark(placing.folder, entry.id, "stuck")
    return (f"{entry.project}: {entry.id} was taken back but for files that changed since: {', '.join(sorted(left))}; "
            f"their old content is in {placing.folder / entry.id / 'old'}")
