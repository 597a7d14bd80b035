"""What a crash left half applied or half taken back, as acts of their own: one record for each entry of the journal.

What holds: no file is rewritten before the beginning of its recovery is noted; where it cannot be, the recovery is
refused as every act is, and stays to be done. Its record has every file's hash before and after.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from windtunnel.engine import particulars
from windtunnel.engine.acts import Acts
from windtunnel.workspace.journal import Entry
from windtunnel.workspace.recovery import Around, Recovered


def recorded(acts: Acts, *, parent: str = "", tell: Callable[[str], None] = lambda _: None) -> Around:
    """Writes each recovery down, as a part of the act ``parent``, and tells what was done."""
    def around(entry: Entry, end: Callable[[], Recovered]) -> Recovered:
        ended = _record(acts, entry, end, parent=parent)
        tell(ended.told)
        return ended

    return around


def _record(acts: Acts, entry: Entry, end: Callable[[], Recovered], *, parent: str) -> Recovered:
    inputs = {"entry": entry.id, "state": entry.state, "trial": entry.trial, "files": particulars.some(entry.paths)}
    root = Path(entry.project)
    with acts.act("recover", lambda: inputs, project=entry.project, parent=parent) as act:
        act.end("done", subject=entry.id, trial=entry.trial, before=acts.kept(root, entry.paths))
        ended = end()
        act.end("done" if ended.entry.state in ("applied", "undone") else "failed", told=[ended.told[:1000]],
                state=ended.entry.state, after=acts.kept(root, entry.paths))
    return ended
