"""The scripts of the judge as they are laid into a sandbox."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

RUNNER = "windtunnel_repair.py"


@cache
def scripts() -> Mapping[str, bytes]:
    """By name; the runner and all that lies beside it."""
    return {path.name: path.read_bytes() for path in sorted((Path(__file__).parent / "inside").glob("*.py"))}
