"""Names of people: which are refused, and when two of them look like one.

What holds: of two names that differ only in case, width, blanks, letters without a shape, or letters of Cyrillic or
Greek in the place of the Latin ones that look like them, nobody can say which is whose, so they count as one; a name
that mixes letters of several scripts is none. What does not hold: look-alikes within one script (``rn`` and ``m``,
``0`` and ``O``, ``l`` and ``1``), whole names in the look-alikes of still other scripts (such as Cherokee), and names
that differ by an accent count as different.
"""

from __future__ import annotations

from windtunnel.core.errors import UsageError

MOST_NAME = 200
_TOGETHER = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO")
"""Scripts that are written together, and look like no others."""
_CAPITALS = str.maketrans("\u0397\u039c\u039d\u03a5\u0396", "hmnyz")
"""Greek capitals that look like another Latin letter than their small ones do."""
_ALIKE = str.maketrans({other: latin for latin, others in {
    "a": "\u0430\u03b1", "b": "\u0432\u044c\u03b2", "c": "\u0441\u03f2", "d": "\u0501", "e": "\u0435\u03b5",
    "h": "\u043d\u04bb", "i": "\u0456\u03b9", "j": "\u0458\u03f3", "k": "\u043a\u03ba", "l": "\u04cf", "m": "\u043c",
    "n": "\u03b7\u043f", "o": "\u043e\u03bf\u03c3", "p": "\u0440\u03c1", "q": "\u051b", "r": "\u0433", "s": "\u0455",
    "t": "\u0442\u03c4", "u": "\u03bc\u03c5", "v": "\u03bd", "w": "\u051d\u0461\u03c9", "x": "\u0445\u03c7",
    "y": "\u0443\u03b3",
}.items() for other in others})
_SHAPELESS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0") | frozenset(map(chr, range(0xFE00, 0xFE10)))


def looks(name: str) -> str:
    """What a name looks like: another way of writing it is no other person."""
    if name.isascii():
        return " ".join(name.lower().split())
    import unicodedata  # noqa: PLC0415 -- few names need it

    shown = (letter for letter in name if letter not in _SHAPELESS and unicodedata.category(letter) != "Cf")
    plain = unicodedata.normalize("NFKC", "".join(shown)).translate(_CAPITALS)
    return " ".join(plain.casefold().translate(_ALIKE).split())


def check_person(name: str, *, field: str) -> None:
    """Refuse a name that is too long, cannot be shown, or mixes letters of several scripts."""
    if not 0 < len(name) <= MOST_NAME or not name.isprintable():
        raise UsageError(f"{field}: {name[:60]!r} is not a name of 1 to {MOST_NAME} letters", field=field)
    if name.isascii():
        return
    found = _scripts(name)
    if len(found) > 1:
        raise UsageError(f"{field}: {name[:60]!r} mixes letters of {' and '.join(found)}, so that it may look like "
                         "another name (write it in one of them)", field=field)


def _scripts(name: str) -> list[str]:
    import unicodedata  # noqa: PLC0415 -- few names need it

    letters = (letter for letter in unicodedata.normalize("NFKC", name) if letter.isalpha())
    scripts = {unicodedata.name(letter, "unknown").partition(" ")[0].partition("-")[0] for letter in letters}
    return sorted({"CJK" if script in _TOGETHER else script for script in scripts})
