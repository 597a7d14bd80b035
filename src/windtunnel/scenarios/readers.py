"""Reading what a preset says: numbers, sizes, rates and tables, also as the texts that environment variables are."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from windtunnel.core.errors import UsageError
from windtunnel.core.limits import GIB, KIB, MIB
from windtunnel.core.strict_json import read_json

_NUMBER = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,18})?) ?([a-zA-Z%/]{0,8})")
_SIZES = {"": 1, "b": 1, "k": KIB, "m": MIB, "g": GIB, "t": 1024 * GIB}
_RATES = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}
_RATE_UNIT = re.compile(r"([kmg]?)(?:bps|bit|bits|bit/s|bits/s|b/s)?")
_SIZE_UNIT = re.compile(r"([bkmgt]?)(?:i|b|ib)?")
_NO_TEXT = re.compile("[\0\ud800-\udfff]")
_MOST_TABLE = 100
_MOST_TEXT = 4096
_MOST_SHOWN = 60
_MOST_DIGITS = 15


def shown(value: object) -> str:
    """A hostile value in a message: bounded, and without characters that a terminal would obey."""
    if isinstance(value, str):
        return ascii(value[:_MOST_SHOWN])
    small = isinstance(value, float) or (isinstance(value, int) and abs(value) < 10**_MOST_DIGITS)
    return repr(value) if small or value is None else type(value).__name__


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """Which numbers a field takes, and how they are written."""

    least: float
    most: float
    unit: str
    """In plural, as a message names it."""
    try_: str
    """What would do, for messages."""
    digits: int = 0
    """Decimal places that are kept; finer differences cannot be made real."""
    suffixes: Mapping[str, float] | None = None
    """What may stand behind the number in a text, and what that multiplies by."""

    def read(self, value: object, *, field: str) -> float:
        """The number; a typed error for what is none or lies outside."""
        found = _plain(value, {"": 1.0, **(self.suffixes or {})})
        rounded = None if found is None else round(found, self.digits)
        if rounded is None or not self.least <= rounded <= self.most:
            raise self.refusal(value, field=field)
        return rounded

    def refusal(self, value: object, *, field: str) -> UsageError:
        """What was found, and what would do."""
        return UsageError(f"{field}: not a number of {self.unit} from {self.least:g} to {self.most:g}: {shown(value)} "
                          f"(try {self.try_})", field=field)


def _plain(value: object, suffixes: Mapping[str, float]) -> float | None:
    if isinstance(value, str):
        match = _NUMBER.fullmatch(value.strip()) if len(value) <= _MOST_SHOWN and value.isascii() else None
        scale = suffixes.get(match[2].lower()) if match else None
        return None if match is None or scale is None else float(match[1]) * scale
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return None if isinstance(value, float) and not math.isfinite(value) else _bounded(value)


def _bounded(value: float) -> float | None:
    return float(value) if abs(value) < 10**18 else None


def read_whole(value: object, *, field: str, among: Range) -> int:
    """A whole number of the range."""
    found = among.read(value, field=field)
    if _plain(value, {"": 1.0, **(among.suffixes or {})}) != found:
        raise among.refusal(value, field=field)
    return int(found)


def read_size(value: object, *, field: str, least: int, most: int) -> int:
    """Bytes from ``512Mi``, ``512m``, ``1.5g`` or a number of bytes; every unit is one of 1024s."""
    bytes_ = _scaled(value, _SIZE_UNIT, _SIZES)
    if bytes_ is None or bytes_ != int(bytes_) or not least <= bytes_ <= most:
        raise UsageError(f"{field}: not a size from {said_size(least)} to {said_size(most)}: {shown(value)} "
                         "(try 512Mi, 2g or a number of bytes)", field=field)
    return int(bytes_)


def read_rate(value: object, *, field: str, least: float, most: float) -> float:
    """Bits a second from ``5Mbps``, ``5mbit`` or a number of bits; letters mean bits here, whatever ``tc`` says."""
    bits = _scaled(value, _RATE_UNIT, _RATES)
    if bits is None or not least <= bits <= most:
        raise UsageError(f"{field}: not a rate from {said_rate(least)} to {said_rate(most)}: {shown(value)} "
                         "(try 5Mbps, 500kbit or a number of bits a second)", field=field)
    return float(round(bits))


def _scaled(value: object, unit: re.Pattern[str], scales: Mapping[str, float]) -> float | None:
    if not isinstance(value, str):
        return _plain(value, {})
    match = _NUMBER.fullmatch(value.strip()) if len(value) <= _MOST_SHOWN and value.isascii() else None
    letters = unit.fullmatch(match[2].lower()) if match else None
    return None if match is None or letters is None else float(match[1]) * scales[letters[1]]


def said_size(value: int) -> str:
    """The size in the largest unit that leaves it whole: ``512Mi``."""
    for letter, size in (("Gi", GIB), ("Mi", MIB), ("Ki", KIB)):
        if value and value % size == 0:
            return f"{value // size}{letter}"
    return str(value)


def said_rate(bits: float) -> str:
    """The rate in the largest unit that leaves it whole: ``5Mbps``."""
    for letter, size in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if bits and bits % size == 0:
            return f"{int(bits // size)}{letter}bps"
    return f"{int(bits)}bps"


def read_table(value: object, *, field: str) -> dict[str, str]:
    """Short names and texts, from a table or from the JSON text of one; numbers become texts."""
    table = read_json(value.encode("utf-8", "replace"), field=field) if isinstance(value, str) else value
    if not isinstance(table, Mapping) or len(table) > _MOST_TABLE:
        raise UsageError(f"{field}: not a table of at most {_MOST_TABLE} names and texts: {shown(value)}", field=field)
    return {_text(name, field=field, least=1): _text(item, field=field, least=0) for name, item in table.items()}


def _text(item: object, *, field: str, least: int) -> str:
    number = not isinstance(item, str) and _plain(item, {}) is not None
    text = str(item) if number else item
    if not isinstance(text, str) or not least <= len(text) <= _MOST_TEXT or _NO_TEXT.search(text):
        raise UsageError(f"{field}: not a text of at most {_MOST_TEXT} letters without NUL: {shown(item)}", field=field)
    return text
