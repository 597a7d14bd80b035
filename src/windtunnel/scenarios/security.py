"""Limits that conditions bring along, all of a sort that every sandbox enforces.

Each SECURITY_LEVEL adds walls to the one below; some faults are a limit, or need one to be made real quickly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from windtunnel.core.limits import MIB
from windtunnel.core.scenario import NETWORK_FAULTS, Scenario


@dataclass(frozen=True, slots=True, kw_only=True)
class Walls:
    """The most that a run of one level may have; a limit that is tighter already stays."""

    read_only: bool
    """Whether the workspace can only be read."""
    outside: bool
    """Whether the simulated outside can be reached."""
    processes: int
    open_files: int
    files: int
    disk_bytes: int


SECURITY_LEVELS: Mapping[int, Walls] = {
    1: Walls(read_only=False, outside=True, processes=128, open_files=1024, files=20_000, disk_bytes=1024 * MIB),
    2: Walls(read_only=False, outside=True, processes=64, open_files=512, files=10_000, disk_bytes=512 * MIB),
    3: Walls(read_only=True, outside=True, processes=32, open_files=256, files=5000, disk_bytes=256 * MIB),
    4: Walls(read_only=True, outside=True, processes=24, open_files=128, files=2000, disk_bytes=256 * MIB),
    5: Walls(read_only=True, outside=False, processes=16, open_files=64, files=500, disk_bytes=16 * MIB),
}

PRESSURE_BYTES = 128 * MIB
"""MEMORY_PRESSURE leaves no more memory than this; what runs inside fills most of it."""
FULL_DISK_BYTES = 16 * MIB
"""DISK_FULL leaves a disk of this size, which is soon full."""
FEW_OPEN_FILES = 16
"""FEW_FILE_DESCRIPTORS: what one process may hold."""


def has_outside(scenario: Scenario) -> bool:
    """Whether the program has an outside to reach."""
    walls = SECURITY_LEVELS.get(scenario.security_level or 0)
    if walls is not None:
        return walls.outside
    return scenario.link is not None or bool(scenario.faults & NETWORK_FAULTS)
