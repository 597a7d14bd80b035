"""Entries of the journal that are half done, brought to an end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from windtunnel.core.errors import UsageError
from windtunnel.workspace import beneath, journal
from windtunnel.workspace.journal import Entry
from windtunnel.workspace.placing import Placing, Step

UNFINISHED = ("half done", "undoing")
"""States that a crash leaves behind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered:
    """What became of an entry that was unfinished."""

    entry: Entry
    """In the state it has now; ``undone`` also where a half applied one was taken back and is forgotten."""
    told: str


Around: TypeAlias = Callable[[Entry, Callable[[], Recovered]], Recovered]
"""Given an unfinished entry and what ends it: no file of the project is touched before that is called."""


def unseen(entry: Entry, end: Callable[[], Recovered]) -> Recovered:
    """Nothing around it."""
    del entry
    return end()


def recover_all(folder: Path, *, step: Step, around: Around = unseen) -> list[Recovered]:
    """Bring every entry to an end, and say what was done; the caller holds the lock."""
    journal.sweep(folder)
    unfinished = [entry for entry in journal.load_all(folder) if entry.state in UNFINISHED]
    return [_recover(folder, entry, step=step, around=around) for entry in unfinished]


def _recover(folder: Path, entry: Entry, *, step: Step, around: Around) -> Recovered:
    try:
        with beneath.opened(Path(entry.project)):
            pass
    except UsageError as error:  # nothing can be done for it, so that nothing is begun
        return _stays(entry, error)
    return around(entry, lambda: end(folder, entry, step=step))


def end(folder: Path, entry: Entry, *, step: Step) -> Recovered:
    """Bring one entry to an end."""
    try:
        with beneath.opened(Path(entry.project)) as root:
            placing = Placing(root=root, folder=folder, entry=entry, step=step)
            return _finish_undo(placing) if entry.state == "undoing" else _finish(placing)
    except (OSError, UsageError) as error:
        return _stays(entry, error)


def _stays(entry: Entry, error: Exception) -> Recovered:
    return Recovered(entry=entry, told=f"{entry.project}: {entry.id} is {entry.state} and stays so for now: {error}")


def _finish(placing: Placing) -> Recovered:
    entry, folder = placing.entry, placing.folder
    if all(placing.is_new(file) for file in entry.files):
        placing.clear(folders=False)
        journal.mark(folder, entry.id, "done")
        return Recovered(entry=replace(entry, state="applied"),
                         told=f"{entry.project}: {entry.id} was applied whole; marked so")
    left = _put_back(placing, forced=False)
    if left:
        return _stick(placing, left)
    journal.discard(folder, entry.id)
    return Recovered(entry=replace(entry, state="undone"),
                     told=f"{entry.project}: {entry.id} was half applied; taken back")


def _finish_undo(placing: Placing) -> Recovered:
    entry, folder = placing.entry, placing.folder
    left = _put_back(placing, forced=(folder / entry.id / "forced").exists())
    if left:
        return _stick(placing, left)
    journal.mark(folder, entry.id, "undone")
    placing.step("undone")
    return Recovered(entry=replace(entry, state="undone"),
                     told=f"{entry.project}: finished the undo of {entry.id} that was interrupted")


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


def _stick(placing: Placing, left: list[str]) -> Recovered:
    """Keep the old bytes for a person, and say so once."""
    entry = placing.entry
    journal.mark(placing.folder, entry.id, "stuck")
    return Recovered(entry=replace(entry, state="stuck"), told=(
        f"{entry.project}: {entry.id} was taken back but for files that changed since: {', '.join(sorted(left))}; "
        f"their old content is in {placing.folder / entry.id / 'old'}"))
