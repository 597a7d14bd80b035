"""What was judged, written down as it comes, so that whoever was killed goes on where it was.

One file for one tree and one set of options, of lines of JSON that are only ever added to; a line that was cut short
or is none of ours is passed over. What holds: the project itself is no part of this, so a kill at any moment leaves it
as it was; a step that was written down is not measured again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, BinaryIO, Self

from windtunnel.engine.improve.improvement import Step

_MOST_BYTES = 16 * 1024**2


class Journal:
    """Steps by the key of their edits."""

    def __init__(self, path: Path | None, *, anew: bool) -> None:
        """Without a path nothing is kept beyond this process."""
        self._path = path
        self._file: BinaryIO | None = None
        self.known: dict[str, Step] = {}
        self.replayed = 0
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            if anew:
                path.unlink(missing_ok=True)
            self.known = _read(path)

    def __enter__(self) -> Self:
        """Open it for adding."""
        self._file = None if self._path is None else self._path.open("ab")
        return self

    def __exit__(self, *_: object) -> None:
        """Let go of it."""
        if self._file is not None:
            self._file.close()

    def add(self, key: str, step: Step) -> None:
        """From now on it is not lost."""
        self.known[key] = step
        if self._file is not None:
            self._file.write(b"\n" + json.dumps({"key": key, "step": asdict(step)}).encode())
            self._file.flush()
            os.fsync(self._file.fileno())


def journal_path(folder: Path, *parts: object) -> Path:
    """The file of one tree and one set of options."""
    return folder / f"{hashlib.sha256(repr(parts).encode()).hexdigest()[:32]}.jsonl"


def _read(path: Path) -> dict[str, Step]:
    found: dict[str, Step] = {}
    with contextlib.suppress(OSError):
        for line in path.read_bytes()[:_MOST_BYTES].split(b"\n"):
            with contextlib.suppress(ValueError, TypeError, KeyError, RecursionError):
                told = json.loads(line)
                found[str(told["key"])] = _step(told["step"])
    return found


def _step(told: Mapping[str, Any]) -> Step:
    known = {one.name for one in fields(Step)}
    if set(told) != known or not isinstance(told["kept"], bool):
        raise ValueError("not a step of ours")
    return Step(**told)
