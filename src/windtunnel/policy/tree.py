"""YAML and JSON as values that know where they stand.

A strict part of YAML: one document, no tags, no anchors, no aliases, no key twice, and plain words as YAML 1.2 reads
them (``true`` and ``false`` alone are switches, so ``no`` is a text). What holds: depth and number of values are
bounded while they are read, so that neither nesting nor repetition can fill the memory.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from windtunnel.core.errors import UsageError

MOST_BYTES = 1024**2
_MOST_DEPTH = 12
_MOST_VALUES = 50_000
_NUMBER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,15})(\.[0-9]{1,9})?")
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}
Value: TypeAlias = "str | int | float | bool | list[Node] | dict[str, tuple[Node, Node]] | None"


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One value with its place; a mapping holds its keys as nodes too."""

    value: Value
    file: str
    line: int = 0
    """From 1; 0 where it is not known."""
    column: int = 0

    def refusal(self, why: str) -> UsageError:
        """An error that names the place."""
        at = f":{self.line}:{self.column}" if self.line else ""
        return UsageError(f"{self.file}{at}: {why}", field="policy")


def shown(value: object, *, most: int = 60) -> str:
    """A hostile value in a message: bounded, and without characters that a terminal would obey."""
    text = value if isinstance(value, str) else _KINDS.get(type(value)) or repr(value)
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text[:most])


_KINDS = {list: "a list", dict: "a table", type(None): "nothing"}


def read_yaml(content: bytes, *, file: str) -> Node:
    """The one document of a file."""
    import yaml  # noqa: PLC0415 -- who has no policy does not pay for it

    whole = Node(value=None, file=file)
    if len(content) > MOST_BYTES:
        raise whole.refusal(f"refused: more than {MOST_BYTES} bytes")
    try:
        text = content.decode()
        # The reader in C is forty times faster; its absence changes no answer.
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        return _Composer(yaml, yaml.parse(text, Loader=loader), file).document()
    except UnicodeDecodeError as error:
        raise whole.refusal(f"not UTF-8 at byte {error.start}") from error
    except yaml.MarkedYAMLError as error:
        raise _marked(error.problem_mark or error.context_mark, file, None).refusal(
            f"not YAML: {shown(error.problem or error.context, most=120)}") from error
    except yaml.YAMLError as error:
        raise whole.refusal(f"not YAML: {shown(str(error), most=120)}") from error


def read_json(content: bytes, *, file: str) -> Node:
    """One JSON value; its parts do not know their places."""
    whole = Node(value=None, file=file)
    if len(content) > MOST_BYTES:
        raise whole.refusal(f"refused: more than {MOST_BYTES} bytes")
    try:
        found = json.loads(content, object_pairs_hook=_Pairs)
    except json.JSONDecodeError as error:
        raise Node(value=None, file=file, line=error.lineno, column=error.colno).refusal(
            f"not JSON: {error.msg}") from error
    except (RecursionError, ValueError) as error:
        raise whole.refusal(f"not JSON: {shown(str(error), most=120)}") from error
    return from_plain(found, file=file)


class _Pairs(list[tuple[str, Any]]):
    """A table as it was written, so that a key that comes twice is seen."""


def from_plain(value: object, *, file: str, depth: int = 0) -> Node:
    """Plain values as nodes."""
    node = Node(value=None, file=file)
    if depth > _MOST_DEPTH:
        raise node.refusal(f"nested deeper than {_MOST_DEPTH}")
    if isinstance(value, Mapping):
        value = _Pairs(value.items())
    if isinstance(value, _Pairs):
        made: dict[str, tuple[Node, Node]] = {}
        for key, item in value:
            if key in made:
                raise node.refusal(f"{shown(key)}: there twice")
            made[key] = Node(value=key, file=file), from_plain(item, file=file, depth=depth + 1)
        return Node(value=made, file=file)
    if isinstance(value, list | tuple):
        return Node(value=[from_plain(item, file=file, depth=depth + 1) for item in value], file=file)
    if value is None or isinstance(value, str | int | float):
        return Node(value=value, file=file)
    raise node.refusal(f"not a plain value: {type(value).__name__}")


def _marked(mark: Any, file: str, value: Value) -> Node:  # noqa: ANN401 -- the reader's own
    if mark is None:
        return Node(value=value, file=file)
    return Node(value=value, file=file, line=mark.line + 1, column=mark.column + 1)


class _Composer:
    """Makes nodes of events as they come, so that a bomb is refused before it is whole."""

    def __init__(self, yaml: Any, events: Iterator[Any], file: str) -> None:  # noqa: ANN401 -- has no types
        self._yaml, self._events, self._file = yaml, events, file
        self._left = _MOST_VALUES

    def document(self) -> Node:
        """The root; an empty file is nothing."""
        yaml, root = self._yaml, Node(value=None, file=self._file, line=1, column=1)
        count = 0
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                count += 1
                if count > 1:
                    raise self._node(event).refusal("a second document (one file has one policy)")
            elif isinstance(event, yaml.NodeEvent):
                root = self._value(event, depth=0)
        return root

    def _value(self, event: Any, *, depth: int) -> Node:  # noqa: ANN401
        yaml, here = self._yaml, self._node(event)
        self._left -= 1
        if depth > _MOST_DEPTH or self._left < 0:
            raise here.refusal(f"nested deeper than {_MOST_DEPTH}" if self._left >= 0
                               else f"more than {_MOST_VALUES} values")
        if isinstance(event, yaml.AliasEvent) or event.anchor:
            raise here.refusal("anchors and aliases (& and *) are not known here (write it out; quote a text with *)")
        if event.tag is not None:
            raise here.refusal(f"tags are not known here: {shown(event.tag)} (quote a text that begins with !)")
        if isinstance(event, yaml.ScalarEvent):
            return self._node(event, event.value if event.style else _scalar(event.value))
        if isinstance(event, yaml.SequenceStartEvent):
            items = self._until(yaml.SequenceEndEvent)
            return self._node(event, [self._value(item, depth=depth + 1) for item in items])
        return self._node(event, self._mapping(depth))

    def _mapping(self, depth: int) -> dict[str, tuple[Node, Node]]:
        made: dict[str, tuple[Node, Node]] = {}
        for event in self._until(self._yaml.MappingEndEvent):
            key = self._value(event, depth=depth + 1)
            if not isinstance(key.value, str):
                raise key.refusal(f"not a key: {shown(key.value)}")
            if key.value in made:
                raise key.refusal(f"{shown(key.value)}: there twice (first on line {made[key.value][0].line})")
            made[key.value] = key, self._value(next(self._events), depth=depth + 1)
        return made

    def _until(self, end: Any) -> Iterator[Any]:  # noqa: ANN401
        for event in self._events:
            if isinstance(event, end):
                return
            yield event

    def _node(self, event: Any, value: Value = None) -> Node:  # noqa: ANN401
        return _marked(event.start_mark, self._file, value)


def _scalar(text: str) -> Value:
    if text in _WORDS:
        return _WORDS[text]
    match = _NUMBER.fullmatch(text)
    return text if match is None else float(text) if match[1] else int(text)
