r"""Which records a query means: in the words of a database, and over one record at hand.

What holds: what is searched is the very header that the tree holds, so that a query cannot say other things than the
record. A header is ASCII JSON, and its fields stand in one order, so that a field's text between its name and the next
is exactly its value as JSON writes it: letters that a database cannot hold, such as NUL or half a surrogate pair, are
searched as their escapes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from windtunnel.core.audit import AuditQuery
from windtunnel.core.errors import UsageError

GROUPS = ("actor", "kind", "outcome", "project", "session", "day", "hour")
FIELDS = ("time", "id", "kind", "outcome", "actor", "session", "parent", "project", "subject")
"""As they follow each other in a header."""
EQUAL = ("actor", "kind", "outcome", "project", "parent", "session")
_SPANS = {"day": 10, "hour": 13}
_FIND = "{instr}(header, {mark}) > 0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How one database writes it."""

    mark: str
    """What stands for a value."""
    instr: str
    """The function that says where a text stands in another."""
    in_details: str
    """The condition that some bytes stand in the details."""
    column: Callable[[str], str]
    """What a field is called."""
    begins: Callable[[str, str], tuple[str, list[object]]]
    """The condition that a field begins with a text."""


def escaped(text: str) -> str:
    """As it stands between the quotes of JSON."""
    return json.dumps(text)[1:-1]


def plain(raw: str) -> str:
    """What a field says that was cut out of a header."""
    try:
        return str(json.loads(f'"{raw}"'))
    except ValueError:
        return raw


def condition(query: AuditQuery, dialect: Dialect, *, last: int | None = None) -> tuple[str, list[object]]:
    """What stands after WHERE, and its values."""
    mark = dialect.mark
    parts: list[str] = ["header IS NOT NULL", f"seq > {mark}"]
    values: list[object] = [query.after]
    if last is not None and query.newest_first:
        parts.append(f"seq < {mark}")
        values.append(last)
    elif last is not None:  # one bound: of two, SQLite would begin at the first again for every batch
        values = [max(query.after, last)]
    for sign, moment in ((">=", query.since), ("<", query.until)):
        if moment:
            parts.append(f"{dialect.column('time')} {sign} {mark}")
            values.append(escaped(moment))
    for term in _terms(query):
        parts.append(_FIND.format(instr=dialect.instr, mark=mark))
        values.append(term)
    for more, found in (_begun(query, dialect), _said(query, dialect)):
        parts += more
        values += found
    return " AND ".join(parts), values


def group(by: str, dialect: Dialect) -> str:
    """What stands after GROUP BY; a typed error for what is no group."""
    check_group(by)
    return f"substr({dialect.column('time')}, 1, {_SPANS[by]})" if by in _SPANS else dialect.column(by)


def check_group(by: str) -> None:
    """Refuse what is no group."""
    if by not in GROUPS:
        raise UsageError(f"group-by: {by!r} is none of {', '.join(GROUPS)}", field="group-by")


def matches(query: AuditQuery, seq: int, *, header: bytes, details: bytes) -> bool:
    """Whether one record is meant; the same answer as a database gives."""
    text = header.decode("ascii", "replace")
    time = value_of(text, "time")
    named = not query.id or any(value_of(text, name).startswith(escaped(query.id)) for name in ("id", "subject"))
    said = not query.text or any(word in text or word.encode() in details for word in _words(query.text))
    return (seq > query.after and (not query.since or time >= query.since)
            and (not query.until or time < query.until)
            and all(term in text for term in _terms(query)) and named and said)


def group_of(by: str, header: bytes) -> str:
    """The group that one record counts to."""
    check_group(by)
    text = header.decode("ascii", "replace")
    return plain(value_of(text, "time")[:_SPANS[by]] if by in _SPANS else value_of(text, by))


def value_of(header: str, name: str) -> str:
    """A field as it stands in a header, with its escapes; empty where there is none."""
    start, end = fences(name)
    return header.partition(start)[2].partition(end)[0]


def fences(name: str) -> tuple[str, str]:
    """What stands before and behind a field's value in a header, and nowhere else before it."""
    at = FIELDS.index(name) + 1
    return f'"{name}":"', f'","{FIELDS[at]}":"' if at < len(FIELDS) else '","'


def _terms(query: AuditQuery) -> list[str]:
    """What must stand in the header, a whole field each: no value can hold a quote that is not escaped."""
    return [f'"{name}":"{escaped(value)}"' for name in EQUAL if (value := getattr(query, name))]


def _begun(query: AuditQuery, dialect: Dialect) -> tuple[list[str], list[object]]:
    if not query.id:
        return [], []
    both = [dialect.begins(name, query.id) for name in ("id", "subject")]
    return [f"({' OR '.join(text for text, _ in both)})"], [value for _, values in both for value in values]


def _said(query: AuditQuery, dialect: Dialect) -> tuple[list[str], list[object]]:
    if not query.text:
        return [], []
    parts, values = [], list[object]()
    for word in _words(query.text):
        parts += [_FIND.format(instr=dialect.instr, mark=dialect.mark), dialect.in_details]
        values += [word, word.encode()]
    return [f"({' OR '.join(parts)})"], values


def _words(text: str) -> list[str]:
    """As JSON writes it, and as it was given where that can stand in JSON too: a part of JSON may be asked for."""
    return list(dict.fromkeys([escaped(text), *([text] if text.isascii() and "\0" not in text else [])]))
