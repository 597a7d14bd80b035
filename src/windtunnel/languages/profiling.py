"""Collapsed stacks: the one form of a profile, ``outer;inner;leaf 1234`` a line.

The weights of the profilers shipped here are microseconds of wall time. A profile is written in the sandbox,
where the program can write whatever it likes in its place: it says what the program lets us know, never what
is certain. What is read here is bounded in lines, frames and letters, and garbage gives nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

Stack: TypeAlias = tuple[str, ...]
"""Frames, outermost first."""

MOST_LINES = 20_000
MOST_FRAMES = 200
MOST_LETTERS = 200
MOST_BYTES = 16 * 1024**2
"""Of a profile, as it comes and as it goes."""
MOST_WEIGHT = 10**15
"""Thirty years in microseconds; a greater number is cut to it."""

OMITTED_STACKS = "(omitted stacks)"
"""The frame that stands for all stacks that had no room."""
_OMITTED_FRAMES = "(omitted frames)"
_LONGEST_LINE = MOST_FRAMES * (MOST_LETTERS + 1) + 20
_DIGITS = 18


def collapse(weighted: Iterable[tuple[Sequence[str], int]]) -> str:
    """Lines of cleaned stacks, each once, heaviest first; the weight of what does not fit has a line of its own."""
    weights: dict[Stack, int] = {}
    known: dict[str, str] = {}
    omitted = 0
    for frames, weight in weighted:
        stack = _clean(frames, known=known)
        if stack in weights or len(weights) < MOST_LINES - 1:
            weights[stack] = min(weights.get(stack, 0) + weight, MOST_WEIGHT)
        else:
            omitted += weight
    lines, room = [], MOST_BYTES
    for stack, weight in sorted(weights.items(), key=lambda item: (-item[1], item[0])):
        line = f"{';'.join(stack)} {weight}\n"
        room -= len(line)
        if room >= 0:
            lines.append(line)
        else:
            omitted += weight
    if omitted:
        lines.append(f"{OMITTED_STACKS} {min(omitted, MOST_WEIGHT)}\n")
    return "".join(lines)


def stacks(collapsed: str) -> Iterator[tuple[Stack, int]]:
    """The cleaned stacks of a collapsed text with their weights; lines that are none are passed over."""
    known: dict[str, str] = {}
    begin = 0
    for _ in range(MOST_LINES):
        if begin >= len(collapsed):
            return
        end = collapsed.find("\n", begin)
        end = len(collapsed) if end < 0 else end
        if end - begin <= _LONGEST_LINE:
            frames, _, number = collapsed[begin:end].rpartition(" ")
            weight = _weight(number)
            if frames and weight:
                yield _clean(frames.split(";"), known=known), weight
        begin = end + 1


def _weight(number: str) -> int:
    """A whole number of at least one, or zero for what is none."""
    if not number.isascii() or not number.isdigit() or len(number) > _DIGITS:
        return 0
    return min(int(number), MOST_WEIGHT)


def _clean(frames: Sequence[str], *, known: dict[str, str]) -> Stack:
    """Without the middle of a stack that is too deep: its root and its leaf say most. Each name is cleaned once."""
    if len(frames) > MOST_FRAMES:
        half = MOST_FRAMES // 2
        frames = [*frames[:half], _OMITTED_FRAMES, *frames[len(frames) - half + 1 :]]
    for name in frames:
        if name not in known:
            known[name] = clean_frame(name)
    return tuple([known[name] for name in frames])


def clean_frame(name: str) -> str:
    """One line of visible letters: control characters, marks that reorder text and the separator are replaced."""
    cut = name[:MOST_LETTERS]
    if cut.isprintable() and ";" not in cut:
        return cut or "?"
    return "".join(letter if letter.isprintable() and letter != ";" else "\N{REPLACEMENT CHARACTER}" for letter in cut)
