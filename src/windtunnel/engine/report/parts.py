"""Pieces of HTML: every text that is not ours is escaped here, and nowhere else is HTML made of it.

What holds: what a field holds is shown, and never obeyed: letters that mean something to HTML are written as such,
control characters, marks that turn the direction of a text, and halves of letters are shown by their numbers, and each
field keeps its direction to itself.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

_SHORT = 12
_MOST_DAYS = 400
_HEIGHT = 40
NONE = "-"
TONES = {"good": "good", "done": "good", "approve": "good", "not good": "bad", "failed": "bad", "denied": "bad",
         "deny": "bad", "refused": "warn", "error": "bad", "lost": "bad", "waiting": "warn", "cancelled": "warn"}


class Markup(str):
    """HTML of our own; everything that is a plain text is escaped where it meets it."""

    __slots__ = ()


def text(value: object) -> Markup:
    """A text of somebody else, as letters and nothing else."""
    if isinstance(value, Markup):
        return value
    return Markup(f"<bdi>{attribute(value)}</bdi>") if str(value) else Markup("")


def attribute(value: object) -> str:
    """The same, for the inside of an attribute."""
    word = str(value)
    if not word.isprintable():
        word = "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in word)
    return html.escape(word, quote=True)


def element(name: str, *inner: object, of: str = "", **attributes: str) -> Markup:
    """One element; ``of`` is its class."""
    words = {"class": of, **attributes} if of else attributes
    told = "".join(f' {key.replace("_", "-")}="{attribute(value)}"' for key, value in words.items())
    return Markup(f"<{name}{told}>{''.join(text(one) for one in inner)}</{name}>")


def joined(*inner: object) -> Markup:
    """One after the other."""
    return Markup("".join(text(one) for one in inner))


def code(value: object) -> Markup:
    """A hash or an id, short; the whole of it where somebody points at it."""
    word = str(value)
    shown = word if len(word) <= _SHORT + 4 else f"{word[:_SHORT]}…"
    return element("code", shown, title=word) if word else Markup(NONE)


def tag(value: object) -> Markup:
    """How something ended."""
    word = str(value)
    return element("span", word or NONE, of=f"tag {TONES.get(word, '')}".strip())


def moment(value: object) -> Markup:
    """A time, to the second."""
    return element("span", str(value)[:19].replace("T", " ") or NONE, of="mono")


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table: what stands above it, and how it is set."""

    head: str
    of: str = ""


def table(columns: Sequence[Column], rows: Sequence[Sequence[object]]) -> Markup:
    """A table that becomes a list of cards where there is no room for it."""
    head = element("tr", *(element("th", column.head, of=column.of, scope="col") for column in columns))
    body = [element("tr", *(element("td", *_cell(value), of=column.of, data_label=column.head)
                            for column, value in zip(columns, row, strict=True))) for row in rows]
    whole = element("table", element("thead", head), element("tbody", *body), of="wide")
    return element("div", whole, of="scroll")


def _cell(value: object) -> tuple[object]:
    return (value if str(value) else Markup(NONE),)


def counts(head: str, rows: Sequence[Mapping[str, object]]) -> Markup:
    """How many of each, with a bar for the eye."""
    most = max((_number(row["count"]) for row in rows), default=1)
    body = [element("tr", element("td", str(row["name"]) or NONE), element("td", row["count"], of="number"),
                    element("td", _gauge(_number(row["count"]) / most), of="gauge")) for row in rows]
    top = element("tr", element("th", head, scope="col"), element("th", "records", of="number", scope="col"),
                  element("th", ""))
    return element("table", element("thead", top), element("tbody", *body))


def _gauge(share: float) -> Markup:
    bar = element("rect", width=f"{max(100 * share, 0.8):.1f}", height="8", rx="1")
    return element("svg", bar, of="gauge", viewBox="0 0 100 8", preserveAspectRatio="none", aria_hidden="true")


def days(rows: Sequence[Mapping[str, object]]) -> Markup:
    """Records by day as bars, with the days on which there was nothing."""
    found = {str(row["name"]): _number(row["count"]) for row in rows}
    filled = _filled(found)
    most = max(filled.values(), default=1)
    bars = [element("rect", element("title", f"{day}: {number}"), x=f"{at + 0.1:.1f}", width="0.8",
                    y=f"{_HEIGHT * (1 - number / most):.2f}", height=f"{_HEIGHT * number / most:.2f}")
            for at, (day, number) in enumerate(filled.items()) if number]
    picture = element("svg", *bars, of="days", viewBox=f"0 0 {max(len(filled), 14)} {_HEIGHT}",
                      preserveAspectRatio="none", role="img", aria_label=f"records by day, at most {most}")
    first, *_, last = (*filled, "") if len(filled) == 1 else tuple(filled) or ("", "")
    return joined(picture, element("div", element("span", first), element("span", f"at most {most} on one day"),
                                   element("span", last), of="ends"))


def _filled(found: Mapping[str, int]) -> dict[str, int]:
    """With every day between the first and the last, unless these are too many."""
    try:
        first, last = date.fromisoformat(min(found)), date.fromisoformat(max(found))
    except ValueError:
        return dict(found)
    if not 0 <= (last - first).days < _MOST_DAYS:
        return dict(found)
    every = [(first + timedelta(days=number)).isoformat() for number in range((last - first).days + 1)]
    return {day: found.get(day, 0) for day in every}


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
