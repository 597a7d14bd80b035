"""What runs inside a sandbox to time code and to compare its answers."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def script(name: str) -> bytes:
    """One of our own files, by its name."""
    return (Path(__file__).parent / "inside" / name).read_bytes()
