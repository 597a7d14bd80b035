"""A list of tables of texts from YAML, each text with its place.

A strict part of YAML: one document, no tags, no anchors, no aliases, no key twice. It is read event by event, and only
as deep as the tables of rules go, so that neither nesting nor repetition can fill the memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from windtunnel.core.errors import UsageError

MOST_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """One text and where it stands, counted from 1."""

    value: str
    file: str
    line: int
    column: int

    def refusal(self, why: str) -> UsageError:
        """An error that names the place."""
        return UsageError(f"{self.file}:{self.line}:{self.column}: {why}", field="rules")


Table = dict[str, Text]


def shown(text: str) -> str:
    """A hostile text in a message: bounded, and without characters that a terminal would obey."""
    return ascii(text[:60])


def read_tables(content: bytes, *, file: str) -> list[tuple[Text, Table]]:
    """The tables under ``rules``, each with its place; refused unless ``version`` is 1."""
    import yaml  # noqa: PLC0415 -- who has no rules of their own does not pay for it

    if len(content) > MOST_BYTES:
        raise UsageError(f"{file}: more than {MOST_BYTES} bytes", field="rules")
    try:
        # The reader in C is forty times faster; its absence changes no answer.
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        return _Reader(yaml, yaml.parse(content.decode(), Loader=loader), file).document()
    except UnicodeDecodeError as error:
        raise UsageError(f"{file}: not UTF-8 at byte {error.start}", field="rules") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        raise UsageError(f"{file}:{line}:{column}: not YAML: {shown(str(error.problem))}", field="rules") from error
    except yaml.YAMLError as error:
        raise UsageError(f"{file}: not YAML: {shown(str(error))}", field="rules") from error


class _Reader:
    def __init__(self, yaml: Any, events: Iterator[Any], file: str) -> None:  # noqa: ANN401 -- has no types
        self._yaml, self._file = yaml, file
        silent = yaml.StreamStartEvent, yaml.DocumentEndEvent
        self._events = (event for event in events if not isinstance(event, silent))

    def document(self) -> list[tuple[Text, Table]]:
        self._next(self._yaml.DocumentStartEvent, "a document")
        self._next(self._yaml.MappingStartEvent, "a table with version and rules")
        found: list[tuple[Text, Table]] = []
        seen: dict[str, Text] = {}
        for key in self._keys(("version", "rules"), seen):
            if key.value == "rules":
                found = self._rules()
            else:
                value = self._scalar()
                if value.value != "1":
                    raise value.refusal(f"version: not 1, the only one there is: {shown(value.value)}")
        self._next(self._yaml.StreamEndEvent, "the end (one file has one document)")
        if "version" not in seen:
            raise UsageError(f"{self._file}:1:1: version: missing (it is 1)", field="rules")
        return found

    def _rules(self) -> list[tuple[Text, Table]]:
        yaml = self._yaml
        found: list[tuple[Text, Table]] = []
        self._next(yaml.SequenceStartEvent, "a list of rules")
        while True:
            event = self._next((yaml.MappingStartEvent, yaml.SequenceEndEvent), "a rule: a table")
            if isinstance(event, yaml.SequenceEndEvent):
                return found
            table: Table = {}
            for key in self._keys(("name", "pattern", "replacement", "title"), table):
                table[key.value] = self._scalar()
            found.append((self._text(event, ""), table))

    def _keys(self, known: tuple[str, ...], seen: Table) -> Iterator[Text]:
        """Each key of a table; the caller reads its value before the next."""
        while True:
            event = self._next((self._yaml.ScalarEvent, self._yaml.MappingEndEvent), "a key")
            if isinstance(event, self._yaml.MappingEndEvent):
                return
            key = self._text(event, event.value)
            if key.value not in known:
                raise key.refusal(f"{shown(key.value)}: unknown (known: {', '.join(known)})")
            if key.value in seen:
                raise key.refusal(f"{key.value}: there twice")
            seen[key.value] = key
            yield key

    def _scalar(self) -> Text:
        event = self._next(self._yaml.ScalarEvent, "a text")
        return self._text(event, event.value)

    def _next(self, kinds: Any, wanted: str) -> Any:  # noqa: ANN401 -- the reader's own
        event = next(self._events, None)
        if getattr(event, "anchor", None) or getattr(event, "tag", None):
            raise self._text(event, "").refusal(
                "anchors, aliases and tags are not known here (quote a text with & * or !)")
        if not isinstance(event, kinds):
            raise self._text(event, "").refusal(f"not {wanted}")
        return event

    def _text(self, event: Any, value: str) -> Text:  # noqa: ANN401 -- the reader's own
        mark = getattr(event, "start_mark", None)
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        return Text(value=value, file=self._file, line=line, column=column)
