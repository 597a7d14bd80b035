"""Every file of a tree looked at once for each content, with what was measured before taken as it is."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from windtunnel.analysis.complexity import Choice, choose, measurer
from windtunnel.analysis.facts import MOST_SOURCE, Facts, facts_of
from windtunnel.analysis.keeping import packed, unpacked
from windtunnel.analysis.linguist.detect import text_of
from windtunnel.analysis.listing import reader

MOST_FILES = 200_000
_SLOW_SECONDS = 0.05
_MOST_SLOW_SECONDS = 10.0
_MOST_MEASURING_SECONDS = 60.0
_FIRST_WORD_SECONDS, _EACH_SECONDS = 1.0, 0.5
Kept = Mapping[str, tuple[str, bytes]]
"""By path, the hash of the content and what was measured of it."""


@dataclass(slots=True)
class Looked:
    """The facts of all files, and what is new among them."""

    facts: dict[str, Facts] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)
    new: set[str] = field(default_factory=set)
    choice: Choice = field(default_factory=lambda: Choice((), (), 0))
    measured: bool = False
    """Whether somebody was there who measures functions."""
    notes: list[str] = field(default_factory=list)

    def to_keep(self) -> dict[str, tuple[str, bytes]]:
        """What is not kept yet."""
        return {path: (self.hashes[path], packed(self.facts[path])) for path in self.new}


class Word:
    """Tells how far it is, from the second second on, twice in a second at most."""

    def __init__(self, tell: Callable[[str], None] | None) -> None:
        """Without anybody who listens, nothing is told."""
        self._tell, self._next = tell, time.monotonic() + _FIRST_WORD_SECONDS

    def __call__(self, what: str, done: int, total: int) -> None:
        """Say it, if it is time."""
        if self._tell is not None and time.monotonic() >= self._next:
            self._next = time.monotonic() + _EACH_SECONDS
            self._tell(f"{what}: {done} of {total}")


def look(
    root: Path, files: tuple[tuple[str, str, int], ...], *, kept: Kept, most_code: int | None, word: Word,
) -> Looked:
    """Look at these files: path, hash, size."""
    looked = Looked()
    if len(files) > MOST_FILES:
        looked.notes.append(f"only the first {MOST_FILES} of {len(files)} files were looked at")
    with reader(root, most=MOST_SOURCE) as read:
        _facts(looked, files[:MOST_FILES], kept=kept, read=read, word=word)
        _functions(looked, read, most_code=most_code, word=word)
    return looked


def _facts(
    looked: Looked,
    files: tuple[tuple[str, str, int], ...],
    *,
    kept: Kept,
    read: Callable[[str], bytes | None],
    word: Word,
) -> None:
    slow = 0.0
    for number, (path, known, size) in enumerate(files):
        before = kept.get(path)
        made = unpacked(before[1]) if before is not None and before[0] == known else None
        if made is None:
            began = time.perf_counter()
            made = facts_of(path, read(path), size=size, guess=slow < _MOST_SLOW_SECONDS)
            took = time.perf_counter() - began
            slow += took if took > _SLOW_SECONDS else 0.0
            looked.new.add(path)
            word("files read", number, len(files))
        looked.facts[path], looked.hashes[path] = made, known
    if slow >= _MOST_SLOW_SECONDS:
        looked.notes.append("some files took so long to tell their language that others were told by their names alone")


def _functions(looked: Looked, read: Callable[[str], bytes | None], *, most_code: int | None, word: Word) -> None:
    """Measure the functions of the files that are chosen, where they are not measured yet."""
    measure = measurer()
    if measure is None:
        return
    looked.measured = True
    looked.choice = choose(looked.facts, looked.hashes, most=most_code)
    todo = [path for path in dict.fromkeys((*looked.choice.worst, *looked.choice.sample))
            if looked.facts[path].functions is None]
    began = time.monotonic()
    for number, path in enumerate(todo):
        if most_code is not None and time.monotonic() - began > _MOST_MEASURING_SECONDS:
            looked.notes.append(
                f"measuring was given up after {_MOST_MEASURING_SECONDS:g} seconds, at {number} of {len(todo)} files"
            )
            break
        content = read(path)
        looked.facts[path].functions = measure(looked.facts[path].language, text_of(content)) if content else ()
        looked.new.add(path)
        word("files measured", number, len(todo))
