"""What was heard of the calls of a test, on both sides; everything in it comes from the program, and is checked."""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from windtunnel.tamper.probing import PARTS, Probe

MOST_BYTES = 200_000
"""Of all that one test tells, unpacked."""
MOST_TEXT = 400
"""Characters of one value."""
MOST_CALLS = 16
MOST_SPOTS = 16
MOST_NEAR = 32
DIGEST = 2
FAILED, ECHOES = 1, 2
_SIZE = 2 * DIGEST + 1
_MESSAGE = re.compile(r"probe\[(\d):([A-Za-z0-9+/=]{0,2000})\]")


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a call near one of a test."""

    told: bytes
    template: bytes
    """The same for answers that differ in nothing but the argument that is handed through."""
    flags: int

    @property
    def failed(self) -> bool:
        """Whether it was an error."""
        return bool(self.flags & FAILED)

    @property
    def echoes(self) -> bool:
        """Whether it has a piece of the test's input that the call was not given."""
        return bool(self.flags & ECHOES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call of a test, and those near it by the argument that differs."""

    name: str
    given: str
    told: str
    """The answer as text: after ``=`` a value, after ``!`` an error, after ``~`` what became of the arguments."""
    number: bytes
    spots: tuple[tuple[str, tuple[Answer, ...]], ...]
    piece: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One call of a test, without the change and with it."""

    before: Call
    after: Call

    @property
    def changes(self) -> bool:
        """Whether the change makes a difference to it."""
        return self.before.number != self.after.number

    @property
    def spots(self) -> list[tuple[str, list[tuple[Answer, Answer]]]]:
        """The arguments that were varied, with the answers on both sides; what one side did not tell is left out."""
        return [(given, list(zip(old, new, strict=False)))
                for (given, old), (_, new) in zip(self.before.spots, self.after.spots, strict=False)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """A test and what was heard of it."""

    path: str
    test: str
    line: int
    mended: bool
    heard: tuple[Heard, ...]


def probed(path: str, copies: Iterable[Probe], sides: Iterable[Mapping[tuple[int, str], str]]) -> list[Probed]:
    """What the copies of the tests of a file tell; the sides map their numbers and rows to their messages."""
    before, after = sides
    found = []
    first = {each.number: each for each in copies if each.part == 0}
    for number, row in sorted(before):
        if number in first:
            old, new = (_calls([side.get((number + part, row), "") for part in range(PARTS)])
                        for side in (before, after))
            known = {(each.name, each.given): each for each in old}
            heard = tuple(Heard(before=known[key], after=each) for each in new
                          if (key := (each.name, each.given)) in known)
            copy = first[number]
            found.append(Probed(path=path, test=copy.test, line=copy.line, mended=copy.mended, heard=heard))
    return found


def _calls(messages: Iterable[str]) -> list[Call]:
    matches = [_MESSAGE.search(each) for each in messages]
    packed = "".join(each[2] for at, each in enumerate(matches) if each and int(each[1]) == at)
    try:
        data = base64.b64decode(packed[: len(packed) // 4 * 4], validate=True)
        text = zlib.decompressobj().decompress(data, MOST_BYTES).decode("utf-8", "replace")
    except (binascii.Error, ValueError, zlib.error):
        return []
    # The last line may have been cut; it has no end then.
    return [call for line in text.split("\n")[:-1][:MOST_CALLS] if (call := _call(line)) is not None]


def _call(line: str) -> Call | None:
    try:
        name, given, told, number, spots, packed, piece = json.loads(line)
        answers = base64.b64decode(packed, validate=True)
        counts = [(value, count) for value, count in spots[:MOST_SPOTS]]
        texts = (name, given, told, number, piece, *(value for value, _ in counts))
        if not all(isinstance(each, str) and len(each) <= MOST_TEXT for each in texts):
            return None
        if not all(type(count) is int and 0 <= count <= MOST_NEAR for _, count in counts):
            return None
        return Call(name=name, given=given, told=told, number=bytes.fromhex(number), piece=piece,
                    spots=tuple(_spots(counts, answers)))
    except (ValueError, TypeError, RecursionError):
        return None


def _spots(counts: Iterable[tuple[str, int]], packed: bytes) -> Iterator[tuple[str, tuple[Answer, ...]]]:
    place = 0
    for value, count in counts:
        several = [packed[at : at + _SIZE] for at in range(place, place + count * _SIZE, _SIZE)]
        place += count * _SIZE
        yield value, tuple(Answer(each[:DIGEST], each[DIGEST : 2 * DIGEST], each[-1]) for each in several
                           if len(each) == _SIZE)
