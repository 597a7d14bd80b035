"""Calls sections of a project as an order from standard input says, and writes a line of JSON for each.

Three kinds of processes: this one has loaded nothing of the project and is the only one that can write the report; one
below it loads the modules; and each section runs in a copy of that. What holds: whatever a section does, others are
called, and it cannot write a word of theirs. What does not hold: a project can lie about its own sections, since its
code runs where they are measured.
"""

from __future__ import annotations

import fcntl
import json
import os
import resource
import sys
import time
from typing import Any, Dict, List, Optional, Set

LEAST_VERSION = (3, 9)
IMPORT_SECONDS, SILENT_SECONDS = 10.0, 60.0
MOST_LINE = 1024**2
MOST_HOSTS = 200
Row = Dict[str, Any]


class Warden:
    """Has the order carried out, and sees to it that each section is told of once."""

    def __init__(self, order: Row, report: int) -> None:
        """``report`` is the way out, which no other process has."""
        self.order, self.report = order, report
        self.told: Set[str] = set()
        self.known = {row["id"]: row for row in order["sections"]}
        self.begun: List[str] = []
        self.importing = ""

    def work(self) -> None:
        """With a new host for what a lost one left."""
        for _ in range(MOST_HOSTS):
            left = [row for row in self.order["sections"] if row["id"] not in self.told]
            if not left:
                return
            self._blame(self._host({**self.order, "sections": left}))
        for name in self.known:
            self.tell({"id": name, "failed": "its turn did not come"})

    def _host(self, order: Row) -> str:
        """How it ended; whatever it did not tell of by then, it did not come to, with whichever exit code."""
        import windtunnel_section_forks as forks  # type: ignore[import-not-found]  # lies beside this file when it runs

        self.begun, self.importing = [], ""
        forks._WAYS.add(self.report)
        copy = forks.Copy(lambda say: _host(order, say), line_seconds=1e9, whole_seconds=1e9)
        while not copy.how:
            copy.line_seconds = self._patience()
            forks.follow([copy], once=True)
            self._take(copy)
        copy.end()
        return str(copy.why())

    def _patience(self) -> float:
        """Seconds without a word: of one import, or of all tries of a section."""
        if self.importing:
            return float(self.order.get("import_seconds", IMPORT_SECONDS) + self.order["seconds"])
        return float(self.order["seconds"] * 12 + SILENT_SECONDS)

    def _take(self, copy: Any) -> None:
        for line in copy.lines:
            if isinstance(line, dict):
                self._hear(line)
        copy.lines.clear()
        copy.size = 0

    def _hear(self, line: Row) -> None:
        """What is under way is written down before it is over: one that ends all of us is known by that."""
        if "begun" in line:
            self.begun.append(str(line["begun"]))
        elif "held" in line:
            self.begun = [name for name in self.begun if name != line["held"]]
        elif "importing" in line:
            self.importing = str(line["importing"])
        elif "imported" in line:
            self.importing = ""
        else:
            self.tell(line)
            return
        self.write(json.dumps({"under_way": self._under_way()})[:MOST_LINE])

    def _under_way(self) -> List[str]:
        names = ([name for name, row in self.known.items() if row["module"] == self.importing] if self.importing
                 else self.begun)
        return [name for name in names if name in self.known and name not in self.told]

    def _blame(self, why: str) -> None:
        """Those that were under way when it was lost."""
        if self.importing:
            why = "importing it: " + why
        for name in self._under_way() or [name for name in self.known if name not in self.told]:
            self.tell({"id": name, "failed": why})

    def tell(self, line: Row) -> None:
        """Once of each section, and of nothing else."""
        name = line.get("id")
        if not isinstance(name, str) or name not in self.known or name in self.told:
            return
        data = json.dumps(line)
        if len(data) > MOST_LINE:
            data = json.dumps({"id": name, "failed": "it had more to tell than is read"})
        self.told.add(name)
        self.write(data)

    def write(self, text: str) -> None:
        data = text.encode("ascii") + b"\n"
        while data:
            data = data[os.write(self.report, data) :]


def _host(order: Row, say: Any) -> None:
    import windtunnel_section_forks as forks

    forks.adopt()
    forks.silent()
    import windtunnel_section_host as host  # type: ignore[import-not-found]  # the same

    sys.path.append(sys.path.pop(0))
    host.Host(order, say).work()


def _probe(order: Row) -> Optional[Row]:
    if not order.get("faults"):
        return None
    import windtunnel_section_host as host

    found: Row = host.probe(order["faults"])
    return found


def main() -> int:
    """Read the order, carry it out, report; the exit code says whether all of it was done."""
    least = min(100, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)  # where a program would not look for it
    report = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, least)
    order = json.loads(sys.stdin.buffer.read())
    import windtunnel_section_forks as forks

    forks.hide()
    forks.silent()
    warden = Warden(order, report)
    if sys.version_info < LEAST_VERSION:
        for name in warden.known:
            warden.tell({"id": name, "failed": "the project's Python is older than 3.9"})
        return 1
    began = time.monotonic()
    forks._WAYS.add(report)
    probed = _probe(order)
    if probed is not None:
        warden.write(json.dumps({"probe": probed}))
    warden.work()
    warden.write(json.dumps({"done": True, "seconds": round(time.monotonic() - began, 3)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
