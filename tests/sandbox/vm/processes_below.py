"""The processes below another, and whether they are still there."""

from __future__ import annotations

import time
from pathlib import Path


def below(pid):
    found, pending = [], [pid]
    while pending:
        for task in Path(f"/proc/{pending.pop()}/task").glob("*/children"):
            children = [int(word) for word in task.read_text().split()]
            found += children
            pending += children
    return found


def machine_of(pid):
    """The QEMU below a process."""
    (found,) = [one for one in below(pid) if Path(f"/proc/{one}/comm").read_text().startswith("qemu")]
    return found


def alive(pids):
    return [pid for pid in pids if Path(f"/proc/{pid}/stat").exists()
            and Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"]


def wait_until(true, seconds=30.0):
    until = time.monotonic() + seconds
    while not true() and time.monotonic() < until:
        time.sleep(0.02)
    return true()
