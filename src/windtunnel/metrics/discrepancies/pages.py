"""Pages of documentation: their blocks of code, and names in the running text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from windtunnel.metrics.discrepancies.modules import parse

_PAGE = re.compile(r"\.(md|markdown|rst)$", re.IGNORECASE)
_OLD = re.compile(r"chang|histor|news|releas|whats.?new|migrat|upgrad|deprecat|roadmap|decisions|adr/|archive"
                  r"|proposal|licen[cs]e|node_modules|vendor|patched|design|(^|/)(tests?|seps?|peps?|neps?|rfcs?)[/-]",
                  re.IGNORECASE)
"""Pages that speak of what was, or is to come, or are there to be tested with."""
_PAST = re.compile(r"\b(remov|deprecat|renam|no longer|formerl|previous|used to|was called|old|instead of|legacy"
                   r"|planned|not yet|future|hypothetical|imagin|would|your)", re.IGNORECASE)
_FENCE = re.compile(r"^(?P<indent> *)(?P<fence>```+|~~~+) *\{?(?P<kind>[\w+-]*)")
_DIRECTIVE = re.compile(r"^(?P<indent> *)\.\. (?:code-block|code|sourcecode):: *(?P<kind>[\w+-]*)")
_INLINE = re.compile(r"(?P<role>[:{](?:py:)?(?:func|class|meth|mod|attr|exc|data|obj)[:}])?"
                     r"(?<!`)(?P<ticks>`{1,2})(?P<text>[^`\n]+)(?P=ticks)(?!`)")
_TOLD = re.compile(
    rb"^ *(?:\.\.|```\{|:::\{) ?(?:py:)?(?:function|class|method|attribute|data|exception|property|module|staticmethod"
    rb"|classmethod|decorator)(?:::|\}) {0,3}([\w.]+)", re.MULTILINE)
_MOST_CHARACTERS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Code in a page."""

    kind: str
    line: int
    """Of its first line of code."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A name in the running text."""

    line: int
    text: str
    role: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What a page has to say of code."""

    blocks: tuple[Block, ...]
    mentions: tuple[Mention, ...]
    trees: tuple[tuple[int, ast.Module], ...]
    """Its Python that can be parsed, each with the line of the page that it begins at."""
    told: frozenset[str]
    """Last parts of names that it describes itself."""


def is_page(path: str) -> bool:
    """Whether it speaks of the code as it is now."""
    return bool(_PAGE.search(path)) and not _OLD.search(path)


def names_told(content: bytes) -> frozenset[str]:
    """Last parts of names that a page itself describes, by a directive of Sphinx."""
    found = _TOLD.findall(content[:_MOST_CHARACTERS])
    return frozenset(name.decode("utf-8", "replace").rpartition(".")[2] for name in found)


def read_page(content: bytes) -> Page:
    """All of one page."""
    blocks, mentions = _read(content)
    sources = ((block.line, python_of(block)) for block in blocks)
    parsed = ((line, parse(source)) for line, source in sources if source is not None)
    return Page(blocks=tuple(blocks), mentions=tuple(mentions), told=names_told(content),
                trees=tuple((line, tree) for line, tree in parsed if tree is not None))


def _read(content: bytes) -> tuple[list[Block], list[Mention]]:
    """Blocks and mentions; a sentence about what was, or might be, has none."""
    lines = content[:_MOST_CHARACTERS].decode("utf-8", "replace").splitlines()
    blocks: list[Block] = []
    mentions: list[Mention] = []
    number = 0
    while number < len(lines):
        end, kind, start = _block(lines, number)
        if end > number:
            blocks.append(Block(kind=kind, line=start + 1, text=_dedented(lines[start:end])))
            number = end + (kind != "doctest" and _FENCE.match(lines[number]) is not None)
            continue
        if not _past(lines, number):
            mentions += _mentions(lines[number], number + 1)
        number += 1
    return blocks, mentions


def _past(lines: list[str], number: int) -> bool:
    return any(_PAST.search(_INLINE.sub("", line)) for line in lines[max(0, number - 1):number + 2])


def _mentions(line: str, number: int) -> Iterator[Mention]:
    """A role of Sphinx may have a title before what it leads to: ``title <name>``."""
    for found in _INLINE.finditer(line):
        text = found["text"].strip()
        if found["role"] and text.endswith(">"):
            text = text[:-1].rpartition("<")[2]
        yield Mention(line=number, text=text, role=(found["role"] or "").strip(":{}"))


def _block(lines: list[str], number: int) -> tuple[int, str, int]:
    """(end, kind, start) of the block that begins at a line; the end is the line itself where none does."""
    line = lines[number]
    if fence := _FENCE.match(line):
        closing = fence["fence"]
        end = next((later for later in range(number + 1, len(lines))
                    if lines[later].strip().startswith(closing)), len(lines))
        return end, fence["kind"].lower(), number + 1
    if directive := _DIRECTIVE.match(line):
        end = _indented(lines, number + 1, len(directive["indent"]))
        start = next((later for later in range(number + 1, end)
                      if lines[later].strip() and not lines[later].strip().startswith(":")), end)
        return max(end, number), directive["kind"].lower(), start
    if line.lstrip().startswith(">>> "):
        end = number
        while end < len(lines) and lines[end].strip():
            end += 1
        return end, "doctest", number
    return number, "", number


def _indented(lines: list[str], start: int, indent: int) -> int:
    end = start
    for number in range(start, len(lines)):
        if lines[number].strip():
            if len(lines[number]) - len(lines[number].lstrip()) <= indent:
                break
            end = number + 1
    return end


def _dedented(lines: list[str]) -> str:
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    cut = min(indents, default=0)
    return "\n".join(line[cut:] for line in lines) + "\n"


def python_of(block: Block) -> str | None:
    """Its Python, on the lines where it stands; of a session what was typed. None where it is no Python."""
    lines = block.text.splitlines()
    if any(line.lstrip().startswith(">>> ") for line in lines):
        return "\n".join(
            line.lstrip()[4:] if line.lstrip().startswith((">>> ", "... ")) else "" for line in lines) + "\n"
    return block.text if block.kind in {"python", "py", "python3", "pycon", "ipython"} else None
