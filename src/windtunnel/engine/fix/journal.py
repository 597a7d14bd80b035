"""What was judged, written down as it comes, so that a fix that was killed goes on where it was.

One file for one tree and one set of options, of lines of JSON that are only ever added to; a line that was cut short is
the end of it. What holds: a judgement that was written down is not made again, and whoever goes on makes the same
choices as somebody who was never killed, since proposals come in the same order. What does not: the time that the
first one took is not counted against the second.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from windtunnel.core.repair import Judgement

_MOST_BYTES = 64 * 1024**2
_MOST_LINE = 4 * 1024**2
_KEEP_SECONDS = 30 * 24 * 3600
_MOST_FILES = 200
_VERSION = 1


class Journal:
    """Judgements by proposal and tests; without a folder they are kept for this run alone."""

    def __init__(self, path: Path | None, *, anew: bool = False) -> None:
        """Read what is there, unless it is to begin ``anew`` or somebody else is writing it now."""
        self._known: dict[tuple[str, str], Judgement] = {}
        self._lists: dict[str, tuple[str, ...]] = {}
        self._made: set[tuple[str, str]] = set()
        """Those of this run."""
        self._file: int | None = None
        self.replayed = 0
        """Judgements of an earlier run that did not have to be made again."""
        if path is not None:
            self._open(path, anew=anew)

    def get(self, key: str, tests: Sequence[str]) -> Judgement | None:
        """What was said of a proposal by these tests."""
        name = key, _digest(tests)
        self.replayed += name in self._known and name not in self._made
        return self._known.get(name)

    def add(self, judgement: Judgement, tests: Sequence[str]) -> None:
        """One more."""
        name = _digest(tests)
        if name not in self._lists:
            self._lists[name] = tuple(tests)
            self._write({"tests": name, "names": list(tests)})
        if (judgement.key, name) in self._known:
            return
        self._known[judgement.key, name] = judgement
        self._made.add((judgement.key, name))
        places = {test: at for at, test in enumerate(tests)}
        self._write({
            "key": judgement.key, "by": name,
            "passed": sorted(places[test] for test in judgement.passed & places.keys()),
            "failed": sorted(places[test] for test in judgement.failed & places.keys()),
            "others": sorted(judgement.failed - places.keys())[:50], "error": judgement.error[:500],
            "seconds": round(judgement.seconds, 4)})

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

    def _open(self, path: Path, *, anew: bool) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _forget_old(path.parent)
        with contextlib.suppress(OSError):
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        if self._file is None:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:  # somebody is at the same fix now
            self.close()
            return
        if anew:
            os.truncate(self._file, 0)
        self._read()

    def _read(self) -> None:
        assert self._file is not None
        with open(os.dup(self._file), "rb") as file:  # noqa: PTH123 -- a descriptor of ours, held and locked
            file.seek(0)
            data = file.read(_MOST_BYTES)
        whole = 0
        for line in data.splitlines(keepends=True):
            if not line.endswith(b"\n") or len(line) > _MOST_LINE or not self._take(line):
                break
            whole += len(line)
        if whole < os.fstat(self._file).st_size:
            os.truncate(self._file, whole)
        if not whole:
            self._write({"version": _VERSION})

    def _take(self, line: bytes) -> bool:
        """One line; whether it is one of ours."""
        try:
            row = json.loads(line)
            if "version" in row:
                return bool(row["version"] == _VERSION)
            if "tests" in row:
                self._lists[row["tests"]] = tuple(map(str, row["names"]))
                return bool(_digest(self._lists[row["tests"]]) == row["tests"])
            self._known[row["key"], row["by"]] = _judgement(row, self._lists[row["by"]])
        except (ValueError, KeyError, TypeError, IndexError, AttributeError):
            return False
        return True

    def _write(self, row: Mapping[str, Any]) -> None:
        if self._file is not None:
            with contextlib.suppress(OSError):  # a full disk keeps nobody from a fix
                os.write(self._file, json.dumps(row, separators=(",", ":")).encode() + b"\n")


def _judgement(row: Mapping[str, Any], names: Sequence[str]) -> Judgement:
    return Judgement(
        key=str(row["key"]), passed=frozenset(names[at] for at in row["passed"]),
        failed=frozenset(names[at] for at in row["failed"]) | frozenset(map(str, row["others"])),
        error=str(row["error"]), seconds=float(row["seconds"]))


def journal_path(folder: Path, *parts: object) -> Path:
    """The file for a fix with these particulars."""
    told = json.dumps([str(part) for part in parts])
    return folder / f"{hashlib.sha256(told.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}.jsonl"


def _digest(tests: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(tests).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _forget_old(folder: Path) -> None:
    """Those of a month ago, and the oldest of too many."""
    with contextlib.suppress(OSError):
        found = sorted((entry.stat().st_mtime, entry) for entry in folder.iterdir() if entry.suffix == ".jsonl")
        late = time.time() - _KEEP_SECONDS
        for at, (changed, entry) in enumerate(found):
            if changed < late or at < len(found) - _MOST_FILES:
                entry.unlink(missing_ok=True)
