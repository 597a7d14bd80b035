"""What runs inside a sandbox to compare patches."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from windtunnel.mutation import table

_INSIDE = Path(table.__file__).parent / "inside" / "doubt"


@cache
def scripts() -> Mapping[str, bytes]:
    """Our own files, beside those that judge mutants, of which they use some."""
    own = {path.name: path.read_bytes() for path in sorted(_INSIDE.glob("*.py"))}
    return {**table.scripts(), **own}
