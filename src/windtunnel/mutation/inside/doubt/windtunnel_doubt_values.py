"""Values of a project as text that can be compared: equal where the values are, bounded, the same in every copy.

What holds: no address, no order of a set or dictionary is in it, and what the project itself says of equality is not
asked. What does not hold: of objects that are no data (functions, modules, sockets) only the name is compared.
"""

from __future__ import annotations

import collections
import hashlib
import types
from typing import Any, Dict, List

MOST_DEPTH, MOST_ITEMS, MOST_TEXT, MOST_SHOWN = 7, 400, 60_000, 240
DIGITS = 9
"""Of a float: sums in another order differ in the last ones."""
ITERATORS = (types.GeneratorType, map, filter, zip, enumerate, reversed)
DICTIONARIES = (dict, collections.OrderedDict, collections.defaultdict, collections.Counter)
"""Equal where they hold the same."""
PLAIN = (int, str, bytes, bool, type(None), complex, range)


class TooLarge(Exception):
    """More than is compared."""


def canon(value: Any, *, ordered: bool = False) -> str:
    """The value as text; ``TooLarge`` where it is. ``ordered`` tells dictionaries of another order apart."""
    parts: List[str] = ["ordered:"] if ordered else []
    _write(value, parts, depth=0, seen={})
    text = "".join(parts)
    if len(text) > MOST_TEXT:
        raise TooLarge
    return text


def digest(text: str) -> str:
    """A short name for a text."""
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]


def shown(value: Any) -> str:
    """For people: as the project shows it, cut; what cannot be shown is named by its type."""
    try:
        text = repr(value)
    except BaseException as error:
        text = f"<{type(value).__name__} that cannot be shown: {type(error).__name__}>"
    text = str(text)
    return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 1] + "…"


def drawn(value: Any) -> Any:
    """What an iterator gives, as a list, so that it can be compared; anything else as it is."""
    if not isinstance(value, ITERATORS) and not (hasattr(value, "__next__") and hasattr(value, "__iter__")):
        return value
    found = []
    for number, item in enumerate(value):
        if number >= MOST_ITEMS:
            break
        found.append(item)
    return Drawn(found)


class Drawn:
    """An iterator that was emptied."""

    def __init__(self, items: List[Any]) -> None:
        """``items`` that it gave."""
        self.items = items

    def __repr__(self) -> str:
        """As the list."""
        return "iterator of " + repr(self.items)


def _write(value: Any, parts: List[str], *, depth: int, seen: Dict[int, int]) -> None:
    if depth > MOST_DEPTH or len(parts) > MOST_TEXT // 4:
        raise TooLarge
    kind = type(value)
    if kind in PLAIN:
        parts.append(f"{kind.__name__[0]}:{value!r}" if kind is not bool else repr(value))
    elif kind is float:
        parts.append(f"f:{value + 0.0:.{DIGITS}g}")
    elif id(value) in seen:
        parts.append(f"<{depth - seen[id(value)]} up>")
    else:
        seen[id(value)] = depth
        _compound(value, parts, depth=depth, seen=seen)
        del seen[id(value)]


def _compound(value: Any, parts: List[str], *, depth: int, seen: Dict[int, int]) -> None:
    name = _name(type(value))
    if isinstance(value, (list, tuple)):
        _items(name, list(value), parts, depth=depth, seen=seen)
    elif isinstance(value, (set, frozenset)):
        parts.append("{}{{{}}}".format(name, ",".join(sorted(_one(item, depth, seen, parts) for item in value))))
    elif isinstance(value, dict):
        ordered = bool(parts) and parts[0] == "ordered:"
        pairs = [(_one(key, depth, seen, parts), _one(part, depth, seen, parts)) for key, part in value.items()]
        told = ",".join("{}={}".format(*pair) for pair in (pairs if ordered else sorted(pairs)))
        parts.append(f"{name}{{{told}}}")
    elif isinstance(value, BaseException):
        parts.append("!" + name)
    elif isinstance(value, type) or (callable(value) and hasattr(value, "__qualname__")):
        parts.append("<{}>".format(getattr(value, "__qualname__", name)))
    else:
        _object(value, name, parts, depth=depth, seen=seen)


def _object(value: Any, name: str, parts: List[str], *, depth: int, seen: Dict[int, int]) -> None:
    """By its own state; by what it shows where it has none that can be seen and shows no address."""
    state = _state(value)
    if state:
        pairs = sorted((key, _one(part, depth, seen, parts)) for key, part in state.items())
        parts.append("{}({})".format(name, ",".join("{}={}".format(*pair) for pair in pairs)))
        return
    text = repr(value)
    parts.append(name if " at 0x" in text else f"{name}({text[:2000]})")


def _state(value: Any) -> Dict[str, Any]:
    found = dict(getattr(value, "__dict__", {}) or {})
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for slot in (slots,) if isinstance(slots, str) else slots:
            if hasattr(value, slot):
                found[str(slot)] = getattr(value, slot)
    return {str(key): part for key, part in found.items() if key not in ("__dict__", "__weakref__")}


def _items(name: str, items: List[Any], parts: List[str], *, depth: int, seen: Dict[int, int]) -> None:
    if len(items) > 20 * MOST_ITEMS:
        raise TooLarge
    parts.append(f"{name}[")
    for item in items:
        _write(item, parts, depth=depth + 1, seen=seen)
        parts.append(",")
    parts.append("]")


def _one(value: Any, depth: int, seen: Dict[int, int], around: List[str]) -> str:
    """A part that is put in order with others."""
    parts: List[str] = around[:1] if around[:1] == ["ordered:"] else []
    begun = len(parts)
    _write(value, parts, depth=depth + 1, seen=seen)
    return "".join(parts[begun:])


def _name(kind: type) -> str:
    plain: Dict[type, str] = {
        list: "", tuple: "t", set: "s", frozenset: "s", Drawn: "i", **dict.fromkeys(DICTIONARIES, "")}
    return plain[kind] if kind in plain else str(kind.__qualname__)

