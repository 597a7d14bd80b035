"""What a waiting interpreter costs while nothing happens."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.ground import Ground
from benchmarks.rows import Row, Target
from benchmarks.timing import NotRun

GROUP = "memory"
_MB = 1_000_000


def rows(ground: Ground) -> Iterator[Row]:
    """One waiting sandbox, and the stem it grew from; memory shared with the stem is shared out evenly (PSS)."""
    before = set(children().get(os.getpid(), ()))
    with ground.tunnel(pool_size=1) as tunnel:
        tunnel.warm_up()
        stem, init, program = _lineage(before)
        waiting = pss(init) + pss(program)
        yield Row(group=GROUP, name="idle warm python: the waiting program and its init", value=waiting / _MB,
                  unit="MB", of="value", target=Target(limit=8.0),
                  note="PSS with one waiting; with more, each costs less")
        yield Row(group=GROUP, name="the stem, once per language and caller", value=pss(stem) / _MB, unit="MB",
                  of="value", note="PSS")


def _lineage(before: set[int]) -> tuple[int, int, int]:
    """Stem, init and waiting program: the end of the one line of processes below us that was not there before."""
    until = time.monotonic() + 5
    while time.monotonic() < until:
        line = _line(os.getpid(), before)
        if len(line) >= 3:
            stem, init, program = line[-3:]
            return stem, init, program
    raise NotRun("no waiting sandbox was found among the descendants")


def _line(pid: int, before: set[int]) -> list[int]:
    """The descendants, eldest first, following the child with descendants of its own."""
    below = children()
    below[pid] = [child for child in below.get(pid, ()) if child not in before]
    line: list[int] = []
    while below.get(pid):
        pid = max(below[pid], key=lambda child: bool(below.get(child)))
        line.append(pid)
    return line


def children() -> dict[int, list[int]]:
    """The processes that there are, by their parent."""
    found: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(") ")[2].split()[1])
            except OSError:
                continue  # it ended meanwhile
            found.setdefault(parent, []).append(int(entry.name))
    return found


def pss(pid: int) -> int:
    """Bytes of memory, that shared with others counted by its share."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except PermissionError as error:
        raise NotRun(f"the kernel does not show the memory of process {pid} to this user (root may see it)") from error
    return next(int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith("Pss:"))
