"""What one run may use, and the reading of sizes and numbers that people write."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields

from windtunnel.core.errors import UsageError

KIB, MIB, GIB = 1024, 1024**2, 1024**3
_UNITS = {"": 1, "b": 1, "k": KIB, "kb": KIB, "m": MIB, "mb": MIB, "g": GIB, "gb": GIB}
_SIZE = re.compile(r"([0-9]{1,15})([a-zA-Z]{0,2})")
_MOST_BYTES = 2**50


def parse_size(value: str | int, *, field: str) -> int:
    """Bytes from ``512m``, ``2g`` or a plain number of bytes."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_BYTES:
        return value
    match = _SIZE.fullmatch(value) if isinstance(value, str) else None
    if match is None or match[2].lower() not in _UNITS:
        shown = repr(value)[:60] if isinstance(value, str) else type(value).__name__
        raise UsageError(f"{field}: not a size: {shown} (try 512m, 2g or a number of bytes)", field=field)
    return int(match[1]) * _UNITS[match[2].lower()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The most one run may use, over its whole process tree."""

    wall_seconds: float = 30.0
    """Measured outside the sandbox, so a sleeping program cannot outlive it."""
    cpu_seconds: float | None = None
    """Processor time of all processes together; none means as much as the wall time allows."""
    cores: float = 1.0
    """How many processors' worth of time the run gets; 0.5 is half of one."""
    cpu_weight: int = 1024
    """Share against other runs when processors are short; 1024 is the usual share."""
    memory_bytes: int = 512 * MIB
    """Memory of all processes together, files in the private /tmp included."""
    swap_bytes: int = 0
    """Swap on top of the memory; zero means none."""
    processes: int = 100
    """Processes and threads together."""
    disk_bytes: int = 256 * MIB
    """All that the run may write to its private file system."""
    files: int = 20_000
    """Files and folders it may make there."""
    open_files: int = 1024
    """Descriptors one process may hold."""
    output_bytes: int = MIB
    """Kept of each output stream, half from its head and half from its tail."""

    def __post_init__(self) -> None:
        """Refuse what is not a limit, naming the field."""
        for field in fields(self):
            _check(field.name, getattr(self, field.name))

    def over(self, caps: Limits) -> str | None:
        """The first field that asks for more than the caps allow."""
        for field in fields(self):
            mine, most = getattr(self, field.name), getattr(caps, field.name)
            if mine is not None and most is not None and mine > most:
                return field.name
        return None


_FRACTIONS = {"wall_seconds": 1e7, "cpu_seconds": 1e7, "cores": 4096.0}
_MOST = {"cpu_weight": 262_144, "processes": 4_000_000, "files": 10**9, "open_files": 10**6}
_LEAST = {"cpu_weight": 2, "memory_bytes": 8 * MIB, "swap_bytes": 0, "processes": 4, "open_files": 16,
          "disk_bytes": MIB, "files": 64}


def _check(name: str, value: object) -> None:
    if name == "cpu_seconds" and value is None:
        return
    kind: type | tuple[type, ...] = (int, float) if name in _FRACTIONS else int
    if isinstance(value, bool) or not isinstance(value, kind):
        raise UsageError(f"{name}: not a number: {repr(value)[:60]}", field=name)
    assert isinstance(value, int | float)
    most = _FRACTIONS.get(name) or _MOST.get(name, _MOST_BYTES)
    least = 0.01 if name in _FRACTIONS else _LEAST.get(name, 1)
    if not least <= value <= most:  # also false for what is not a number; an infinite one is above the most
        raise UsageError(f"{name}: out of range (from {said(name, least)} to {said(name, most)})", field=name)


def said(name: str, value: float) -> str:
    """A value of this limit as people write it."""
    if not name.endswith("_bytes") or value < KIB:
        return f"{value:g}"
    return f"{value / MIB:g}m" if value < GIB else f"{value / GIB:g}g"
