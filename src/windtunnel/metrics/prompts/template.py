"""Templates in a small part of Jinja: ``{{ expression }}``, ``{% if %}``, ``elif``, ``else`` and ``{% for %}``.

A project may bring its own, so they are hostile input: parsed, never run; sizes, loops and output are bounded; what is
not known is refused with the line it stands in.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from windtunnel.core.errors import UsageError
from windtunnel.metrics.prompts.expression import MOST_OUTPUT, evaluate, parse, text_of

MOST_TEMPLATE = 100_000
_MOST_DEPTH = 20
_MOST_TURNS = 20_000
_OPENING = re.compile(r"\{[{%#]")
_CLOSING = {"{{": "}}", "{%": "%}", "{#": "#}"}
_MOST_MARK = 1000
_FOR = re.compile(r"for +([A-Za-z_]\w*)(?: *, *([A-Za-z_]\w*))? +in +(.+)")


@dataclass(slots=True, kw_only=True)
class _Block:
    """A part of a template, with what is inside of it."""

    kind: str
    text: str = ""
    expression: ast.expr | None = None
    names: tuple[str, ...] = ()
    body: list[_Block] = field(default_factory=list)
    other: list[_Block] = field(default_factory=list)
    """After ``else``, or one ``if`` for each ``elif``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A template that was read and found to be one."""

    name: str
    blocks: tuple[_Block, ...]

    def render(self, names: Mapping[str, object]) -> str:
        """With these names; at most a million characters, of which a typed error tells."""
        written, budget = [], _Budget(name=self.name)
        for piece in _rendered(self.blocks, names, budget):
            budget.write(len(piece))
            written.append(piece)
        return "".join(written)


@dataclass(slots=True, kw_only=True)
class _Budget:
    """What one rendering may still use."""

    name: str
    output: int = MOST_OUTPUT
    turns: int = _MOST_TURNS

    def write(self, length: int) -> None:
        self.output -= length
        if self.output < 0:
            raise UsageError(f"template {self.name!r}: more than {MOST_OUTPUT} characters", field="template")

    def turn(self) -> None:
        self.turns -= 1
        if self.turns < 0:
            raise UsageError(f"template {self.name!r}: more than {_MOST_TURNS} turns of loops", field="template")


def read_template(text: str, *, name: str = "template") -> Template:
    """The template, or a typed error with the line of what is wrong."""
    if len(text) > MOST_TEMPLATE:
        raise UsageError(f"template {name!r}: more than {MOST_TEMPLATE} characters", field="template")
    return Template(name=name, blocks=tuple(_Reader(text.removesuffix("\n"), name).read()))


class _Reader:
    """Reads marks one after the other, keeping those that are still open."""

    def __init__(self, text: str, name: str) -> None:
        self.pieces, self.name, self.line = _trimmed(_split(text, name)), name, 1
        self.top: list[_Block] = []
        self.open: list[tuple[_Block, list[_Block]]] = []

    @property
    def here(self) -> list[_Block]:
        return self.open[-1][1] if self.open else self.top

    def read(self) -> list[_Block]:
        for number, (piece, lines) in enumerate(self.pieces):
            try:
                self._take(piece, text=number % 2 == 0)
            except UsageError as error:
                raise UsageError(f"template {self.name!r}, line {self.line}: {error}", field="template") from None
            self.line += lines
        if self.open:
            raise UsageError(f"template {self.name!r}: {{% {self.open[-1][0].kind} %}} is never ended",
                             field="template")
        return self.top

    def _take(self, mark: str, *, text: bool) -> None:
        inside = mark[2:-2].strip("-").strip()
        if text:
            self.here.append(_Block(kind="text", text=mark))
        elif mark.startswith("{{"):
            self.here.append(_Block(kind="value", expression=parse(inside)))
        elif mark.startswith("{%"):
            self._tag(inside)

    def _tag(self, inside: str) -> None:
        inside = " ".join(inside.split())
        word, _, rest = inside.partition(" ")
        if word in {"if", "for"}:
            self._begin(_condition(rest) if word == "if" else _loop(inside))
        elif word in {"endif", "endfor"} and self.open and self.open[-1][0].kind == word[3:]:
            self._end()
        elif word in {"elif", "else"} and self.open and self.open[-1][1] is self.open[-1][0].body:
            self._otherwise(word, rest)
        else:
            raise UsageError(f"{{% {word[:20]} %}} is not known here (if, elif, else, endif, for and endfor are)",
                             field="template")

    def _begin(self, block: _Block) -> None:
        if len(self.open) >= _MOST_DEPTH:
            raise UsageError(f"more than {_MOST_DEPTH} blocks in each other", field="template")
        self.here.append(block)
        self.open.append((block, block.body))

    def _end(self) -> None:
        """Ends an ``if`` with all the ``elif`` that hang from it."""
        while self.open[-1][0].text == "elif":
            self.open.pop()
        self.open.pop()

    def _otherwise(self, word: str, rest: str) -> None:
        block = self.open[-1][0]
        if word == "elif":
            if block.kind != "if":
                raise UsageError("{% elif %} belongs to an if", field="template")
            following = _condition(rest)
            following.text = "elif"
            block.other.append(following)
            if len(self.open) >= _MOST_DEPTH:
                raise UsageError(f"more than {_MOST_DEPTH} blocks in each other", field="template")
            self.open[-1] = (block, block.other)
            self.open.append((following, following.body))
        else:
            self.open[-1] = (block, block.other)


def _condition(source: str) -> _Block:
    return _Block(kind="if", expression=parse(source))


def _loop(inside: str) -> _Block:
    found = _FOR.fullmatch(inside)
    if not found:
        raise UsageError(f"{inside[:50]!r} is no loop ({{% for name in list %}} is)", field="template")
    return _Block(kind="for", names=tuple(name for name in found.group(1, 2) if name), expression=parse(found[3]))


def _split(text: str, name: str) -> list[str]:
    """Text and marks in turn, text first and last."""
    pieces, start = [], 0
    while opening := _OPENING.search(text, start):
        most = len(text) if opening[0] == "{#" else opening.start() + _MOST_MARK
        end = text.find(_CLOSING[opening[0]], opening.end(), most)
        if end < 0:
            line = text.count("\n", 0, opening.start()) + 1
            raise UsageError(f"template {name!r}, line {line}: {opening[0]} is never closed, or too late",
                             field="template")
        pieces += [text[start:opening.start()], text[opening.start():end + 2]]
        start = end + 2
    return [*pieces, text[start:]]


def _trimmed(pieces: list[str]) -> list[tuple[str, int]]:
    """Each with how many lines it had; space beside ``{%-`` and ``-%}`` is taken away."""
    told = []
    for number, piece in enumerate(pieces):
        cut = piece
        if number % 2 == 0:
            before = pieces[number - 1] if number else ""
            after = pieces[number + 1] if number + 1 < len(pieces) else ""
            cut = cut.lstrip() if before[-3:-2] == "-" else cut
            cut = cut.rstrip() if after[2:3] == "-" else cut
        told.append((cut, piece.count("\n")))
    return told


def _rendered(blocks: tuple[_Block, ...] | list[_Block], names: Mapping[str, object], budget: _Budget) -> Iterator[str]:
    for block in blocks:
        if block.expression is None:
            yield block.text
            continue
        value = evaluate(block.expression, names)
        if block.kind == "value":
            yield text_of(value)
        elif block.kind == "if":
            yield from _rendered(block.body if value else block.other, names, budget)
        else:
            yield from _looped(block, value, names, budget)


def _looped(block: _Block, value: object, names: Mapping[str, object], budget: _Budget) -> Iterator[str]:
    every = list(value) if isinstance(value, list | tuple | Mapping) else []
    for one in every:
        budget.turn()
        parts = one if isinstance(one, list | tuple) and len(block.names) > 1 else (one,)
        yield from _rendered(block.body, {**names, **dict(zip(block.names, parts, strict=False))}, budget)
    if not every:
        yield from _rendered(block.other, names, budget)
