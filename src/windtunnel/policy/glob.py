"""Globs over verbs and over the paths of a change.

``*`` and ``?`` stay within one part of a path, ``[abc]``, ``[a-z]`` and ``[!a]`` are one letter, and ``**`` as a part
of its own is any number of parts, none included. All paths of a request are held against a rule at once, each ended by
a zero byte. What holds: the time is bounded by the length of the paths times the length of the globs, whatever both
are, because a ``*`` that was passed is never gone back to.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

END = "\0"
_MOST_LENGTH = 512
_LETTER, _ANY = r"[^/\0]", r"[^\0]"
_REFUSED = {"{": "{a,b} is not known here", "}": "{a,b} is not known here", "\\": "there is no escaping"}


class BadGlob(ValueError):
    """The message says what is wrong and what would do."""


def check_verb(glob: str) -> None:
    """Raise a ``BadGlob`` for what is no glob over verbs."""
    _part(_checked(glob), letter=_ANY)


def check_path(glob: str) -> None:
    """Raise a ``BadGlob`` for what is no glob over paths."""
    _path(glob)


def over_verbs(globs: Iterable[str]) -> re.Pattern[str]:
    """Matches a verb that one of the globs matches whole."""
    return re.compile(f"(?:{'|'.join(_part(_checked(glob), letter=_ANY) for glob in globs)})\\Z")


def over_any(globs: Iterable[str]) -> re.Pattern[str]:
    """Matches joined paths when one of them matches one of the globs."""
    # All that match none are passed; what is then left begins with one that does.
    return re.compile(f"(?:(?!{_alternatives(globs)})[^{END}]*+{END})*+(?!\\Z)")


def over_all(globs: Iterable[str]) -> re.Pattern[str]:
    """Matches joined paths when each of them matches one of the globs."""
    return re.compile(f"(?>{_alternatives(globs)})++\\Z")


def joined(paths: Iterable[str]) -> str:
    """The paths as the patterns want them."""
    text = END.join(paths)
    return text + END if text else ""


def mark(glob: str) -> str:
    """The longest word that every path has which the glob matches; empty where there is none."""
    return max(re.split(r"\*\*/|/?\*+|\?|\[[^\]]*\]", glob), key=len)


def _alternatives(globs: Iterable[str]) -> str:
    return f"(?:{'|'.join(map(_path, globs))})"


def _path(glob: str) -> str:
    """One glob over a whole path, with its end."""
    parts = _checked(glob).split("/")
    if not {"", ".", ".."}.isdisjoint(parts):
        raise BadGlob("not a relative path (no / at its beginning or end, no . and no ..; all below x is x/**)")
    if any("**" in part and part != "**" for part in parts):
        raise BadGlob("** stands alone between slashes (try **/*.py)")
    # A ** beside another one says nothing more.
    parts = [part for at, part in enumerate(parts) if part != "**" or parts[at - 1 : at] != ["**"]]
    below = parts[-1] == "**"
    stretches = "/".join(parts[:-1] if below else parts).split("**")
    return _stretches([stretch.strip("/") for stretch in stretches], below=below)


def _stretches(stretches: list[str], *, below: bool) -> str:
    """What stands between the ``**``, each taken where it first fits; the last must fit at the end."""
    first, *others = stretches
    last = len(others) - 1
    made = "/".join(map(_part, first.split("/"))) if first else ""
    if made and (others or below):
        made += "/"
    for at, stretch in enumerate(others):
        body = "/".join(map(_part, stretch.split("/")))
        here = at == last and not below
        made += f"(?:{_LETTER}++/)*{body}" if here else f"(?>(?:{_LETTER}++/)*?{body}/)"
    return made + (f"[^{END}]++{END}" if below else END)


def _part(glob: str, *, letter: str = _LETTER) -> str:
    """One part of a path, or a whole verb."""
    first, *others = (_letters(piece, letter=letter) for piece in re.split(r"\*+", glob))
    if not others:
        return first
    middle = "".join(f"(?>{letter}*?{piece})" for piece in others[:-1])
    return f"{first}{middle}{letter}*{others[-1]}"


def _letters(piece: str, *, letter: str) -> str:
    made, rest = "", piece
    while rest:
        if rest[0] == "[":
            inner, closed, after = rest[1:].partition("]")
            if not closed or not re.fullmatch(r"!?(?:[\w.]-[\w.]|[\w., +@])+", inner):
                raise BadGlob("[ is not closed, or holds more than letters and ranges (try [a-z])")
            made += _class(inner)
            rest = after
        else:
            made += letter if rest[0] == "?" else re.escape(rest[0])
            rest = rest[1:]
    return made


def _class(inner: str) -> str:
    for low, high in re.findall(r"(.)-(.)", inner):
        if low > high:
            raise BadGlob(f"the range {low}-{high} is empty")
    return rf"[^/\0{inner[1:]}]" if inner.startswith("!") else f"[{inner}]"


def _checked(glob: str) -> str:
    if not glob or len(glob) > _MOST_LENGTH or not glob.isprintable():
        raise BadGlob(f"not a glob of 1 to {_MOST_LENGTH} letters (try src/**)")
    for sign, why in _REFUSED.items():
        if sign in glob:
            raise BadGlob(f"{why} (write one glob for each, in a list)")
    return glob
