"""What the comparing processes tell, checked: every text cut, every length as it must be."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from windtunnel.core.gate import Witness

_LETTERS = re.compile(r"[A-Za-z0-9]*")
_PLACES = re.compile(r"[onf]*")
_KINDS = re.compile(r"[vrlx]*")
_MOST_WORLDS, _COUNTS = 200, 5
_MOST_TEXT = 600
FIX, OLD = -1, -3


@dataclass(frozen=True, slots=True)
class Version:
    """What one version answers to all inputs; the same letter at the same place is the same answer."""

    letters: str
    kinds: str
    """``v`` an answer, ``r`` something raised, ``l`` no answer in time, ``x`` nothing that can be compared."""
    base: str = ""
    """Whether the code before the change was edited (``old``) or the change itself (``fix``)."""
    change: str = ""
    size: int = 0


@dataclass(frozen=True, slots=True)
class Symptom:
    """A relation that holds for every call of the tests with the change, and did not before it."""

    name: str
    calls: int
    """Of the tests, for which it holds."""
    repaired: int
    """Of those, for how many it did not hold before."""
    before: int
    """Other inputs for which it did not hold before the change."""
    after: int
    """Other inputs for which it does not hold with the change."""
    inputs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """All of it."""

    places: str = ""
    """Of each input: ``o`` a test's own, ``n`` next to one that the change repairs, ``f`` farther."""
    made: int = 0
    """How many inputs were made; those whose answer differed between two runs are not among ``places``."""
    fix: Version | None = None
    old: Version | None = None
    others: tuple[Version, ...] = ()
    """Alternatives that pass the tests."""
    tried: int = 0
    symptoms: tuple[Symptom, ...] = ()
    """Mended for the tests' own calls."""
    regressions: tuple[Symptom, ...] = ()
    """Held everywhere before the change, and do not with it."""
    literals: tuple[int, int, str] = (0, 0, "")
    """Numbers and texts that the change brings; how many of them the calls show that it repairs; one of those."""
    witness: Witness | None = None
    new: tuple[str, ...] = ()
    """The literals that the change brings, as they are written."""
    note: str = ""
    """Why there is nothing to compare."""
    ended: bool = False


def heard(records: Iterable[Mapping[str, Any]]) -> Heard:
    """From sealed records, whose content a hostile project may have chosen."""
    told = [record for record in records if isinstance(record, Mapping)]
    inputs = next((record for record in told if record.get("kind") == "inputs"), {})
    places = _matching(inputs.get("places"), _PLACES)
    versions = {}
    for record in [record for record in told if record.get("kind") == "world"][:_MOST_WORLDS]:
        version, number = _version(record), record.get("version")
        if len(version.letters) == len(version.kinds) == len(places) and isinstance(number, int):
            versions[number] = version
    return Heard(
        places=places, made=_number(inputs.get("made")), fix=versions.get(FIX), old=versions.get(OLD),
        others=tuple(version for number, version in sorted(versions.items()) if number >= 0),
        tried=max((_number(record.get("tried")) for record in told if record.get("kind") == "judged"), default=0),
        symptoms=tuple(_symptoms(told, "symptom")), regressions=tuple(_symptoms(told, "regress")),
        literals=next((_literals(record) for record in told if record.get("kind") == "literals"), (0, 0, "")),
        witness=next((_witness(record) for record in told if record.get("kind") == "witness"), None),
        note=next((_text(record.get("what")) for record in told if record.get("kind") == "note"), ""),
        ended=any(record.get("kind") == "end" for record in told))


def _version(record: Mapping[str, Any]) -> Version:
    return Version(_matching(record.get("letters"), _LETTERS), _matching(record.get("kinds"), _KINDS),
                   _text(record.get("base")), _text(record.get("change")), _number(record.get("size")))


def _symptoms(told: Iterable[Mapping[str, Any]], kind: str) -> Iterator[Symptom]:
    for record in [record for record in told if record.get("kind") == kind][:_MOST_WORLDS]:
        counts = record.get("counts")
        if isinstance(counts, list) and len(counts) == _COUNTS:
            yield Symptom(_text(record.get("what")), *map(_number, counts))


def _literals(record: Mapping[str, Any]) -> tuple[int, int, str]:
    return _number(record.get("count")), _number(record.get("found")), _text(record.get("what"))


def _witness(record: Mapping[str, Any]) -> Witness:
    names = {"function": "function", "given": "arguments", "fix": "change", "other": "other", "old": "before",
             "text": "patch"}
    return Witness(**{ours: _text(record.get(theirs)) for theirs, ours in names.items()})


def _matching(value: object, pattern: re.Pattern[str]) -> str:
    return value if isinstance(value, str) and pattern.fullmatch(value) else ""


def _text(value: object) -> str:
    return value[:_MOST_TEXT] if isinstance(value, str) else ""


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 31 else 0
