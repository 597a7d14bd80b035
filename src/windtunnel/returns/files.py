"""Histories on the disk: read in all their forms, written whole or not at all.

What holds: whoever reads sees the old history or the new one, also after a power cut; cycles that two processes append
are both there. What does not hold: ``write_history`` replaces what others wrote since it was read.
"""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import json
import math
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.core.randomness import fresh_id
from windtunnel.core.series import Cycle, Run
from windtunnel.returns import tables
from windtunnel.returns.history import History, from_json, to_json

MOST_BYTES = 64 * 1024**2
NAME = "roi_history.json"
PLACES = (NAME, f"sandbox_data/{NAME}")
"""Where a run's folder has it."""
_TABLES = (".db", ".sqlite", ".sqlite3")


def find_history(path: str | os.PathLike[str]) -> Path:
    """The history of a run: the file itself, or the one in the run's folder."""
    given = Path(path)
    if not given.is_dir():
        return given
    found = next((given / place for place in PLACES if (given / place).is_file()), None)
    if found is None:
        raise UsageError(f"{given}: has no {' and no '.join(PLACES)}", field="path")
    return found


def read_history(path: str | os.PathLike[str]) -> History:
    """Of version 2, or of a form of the original; ``UsageError`` names the file and what is wrong with it."""
    file = find_history(path)
    try:
        data = _content(file)
        return tables.read(file) if data.startswith(tables.MAGIC) else from_json(_parsed(data))
    except UsageError as error:
        raise UsageError(f"{file}: {error}", field="path") from None


def write_history(path: str | os.PathLike[str], history: History) -> None:
    """All of it under its name, on the disk; as SQLite where the name ends in .db, .sqlite or .sqlite3."""
    file = Path(path)
    with _folder(file) as folder:
        draft = file.with_name(f".{file.name}.{fresh_id()}.new")
        try:
            if file.suffix in _TABLES:
                tables.write(draft, history)
            else:
                _write(draft, json.dumps(to_json(history), indent=1).encode())
            draft.replace(file)
            os.fsync(folder)
        except OSError as error:
            raise SandboxFailure(f"{file}: cannot be written: {error.strerror}") from error
        finally:
            draft.unlink(missing_ok=True)


def append_cycle(path: str | os.PathLike[str], cycle: Cycle, *, run: Run | None = None) -> History:
    """The history with one cycle more; ``run`` is whose it is where the file is begun."""
    file = Path(path)
    with _folder(file) as folder:
        fcntl.flock(folder, fcntl.LOCK_EX)
        before = read_history(file) if file.exists() else History(run=run or Run())
        after = dataclasses.replace(before, cycles=(*before.cycles, cycle))
        write_history(file, after)
    return after


@contextlib.contextmanager
def _folder(file: Path) -> Iterator[int]:
    try:
        folder = os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise UsageError(f"{file.parent}: not a folder to write to: {error.strerror}", field="path") from error
    try:
        yield folder
    finally:
        os.close(folder)


def _write(draft: Path, data: bytes) -> None:
    with draft.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _content(file: Path) -> bytes:
    """Of a plain file of bounded size."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise UsageError(getattr(error, "strerror", None) or str(error), field="path") from None
    with os.fdopen(descriptor, "rb") as opened:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise UsageError("not a plain file", field="path")
        data = opened.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise UsageError(f"more than {MOST_BYTES} bytes", field="path")
    return data


def _parsed(data: bytes) -> Any:  # noqa: ANN401 -- whatever it says
    try:
        return json.loads(data.decode(), parse_constant=lambda _: math.nan, parse_int=_whole)
    except RecursionError:
        raise UsageError("nested too deeply", field="path") from None
    except (ValueError, UnicodeDecodeError) as error:
        raise UsageError(f"not JSON: {str(error)[:200]}", field="path") from None


def _whole(text: str) -> int:
    if len(text) > 40:  # noqa: PLR2004 -- no number here needs more
        raise ValueError("a number of more than 40 digits")
    return int(text)
