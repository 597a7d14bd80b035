"""A changed file with parts of the change put back: each is a mutant, judged by the tests that run it.

Three sizes: the whole file's change, each of its blocks (a run of lines that differ, told as a hunk), and each line of
a block that can be put back alone. What does not compile alone, and what changes nothing that runs, is left out.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from windtunnel.core.mutation import Mutant, identity
from windtunnel.mutation.encoding import decoded, quiet
from windtunnel.mutation.table import near, statements_of
from windtunnel.workspace.patch_text import opcodes

OPERATOR = "revert"
_MOST_LINES = 100
"""Lines of one file that are put back one by one."""
_MOST_SHOWN = 4000
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_REFUSED = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)
Part = Literal["file", "hunk", "line"]


@dataclass(frozen=True, slots=True)
class Block:
    """Lines ``start`` to ``end`` of the new file were ``old``."""

    start: int
    end: int
    old: tuple[bytes, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reverting:
    """One part put back."""

    part: Part
    mutant: Mutant
    line: int
    """First changed line; of lines that were deleted, the one before."""
    end_line: int
    diff: str
    """From the change to what it was."""


class ChangedFile:
    """A Python file of the product, before and after; one that does not compile after the change is refused."""

    most_lines = _MOST_LINES

    def __init__(self, path: str, before: bytes | None, after: bytes) -> None:
        """``before`` is None for a new file; a ``UsageError`` or ``SyntaxError`` says why it cannot be judged."""
        self.path, self.after, self.is_new = path, after, before is None
        self.new, self.old = after.splitlines(keepends=True), (before or b"").splitlines(keepends=True)
        _, self.encoding, _ = decoded(after, path=path)
        self.tree = _parsed(after)
        self.blocks = blocks_of(self.old, self.new)
        self.statements = statements_of(near(self.tree, self._beside()))
        self.outermost = _outermost(self.tree, self.new)

    @cached_property
    def documents(self) -> Collection[int]:
        """Lines of docstrings."""
        return _docstring_lines(self.tree)

    @property
    def lines(self) -> frozenset[int]:
        """Lines that the change adds or modifies, from 1."""
        return frozenset(number + 1 for block in self.blocks for number in range(block.start, block.end))

    @property
    def runs(self) -> bool:
        """Whether the change touches anything but comments, docstrings and blank lines."""
        return self._differs(self.blocks)

    def reverts(self) -> list[Reverting]:
        """All that can be put back, the largest first."""
        if not self.runs:
            return []
        blocks = [block for block in self.blocks if self._differs([block], alone=True)]
        single = [] if self.is_new else self._single_lines()
        # Where there is one block, it is the whole; it is tried even where the file did not compile before.
        whole: list[tuple[Part, list[Block]]] = [("hunk" if len(self.blocks) == 1 else "file", self.blocks)]
        parts = [*whole, *(("hunk", [block]) for block in blocks if self.blocks[1:]),
                 *(("line", [line]) for line in single)]
        made = [self._reverting(part, changed) for part, changed in parts]
        return [each for each in made if each is not None]

    def _differs(self, changed: Sequence[Block], *, alone: bool = False) -> bool:
        """Whether the file runs differently with them put back; ``alone``: and compiles."""
        try:
            lines = self._put_back(changed, 0, len(self.new))
            one, other = _apart(self.outermost, _outermost(_parsed(b"".join(lines)), lines))
            return [_meaning(node) for _, node in one] != [_meaning(node) for _, node in other]
        except _REFUSED:
            return not alone

    def _beside(self) -> set[int]:
        """Lines of the change, and those right before and after it."""
        found: set[int] = set()
        for block in self.blocks:
            first, last = self._speaking(block.start, block.end)
            found |= {*range(first, last + 2), *range(block.start, block.end + 2)}
        return found

    def _speaking(self, first: int, last: int) -> tuple[int, int]:
        """Lines that were deleted stand for the code around them."""
        if first == last:
            first = next((at for at in range(first - 1, -1, -1) if _speaks(self.new[at])), first)
            last = next((at + 1 for at in range(last, len(self.new)) if _speaks(self.new[at])), last)
        return first, last

    def _single_lines(self) -> Iterator[Block]:
        """Those that run differently when they alone are as they were; the first ones of many."""
        left = self.most_lines
        for block in self.blocks:
            for line in _cut(block):
                if self._silent(line):
                    continue
                if left <= 0:
                    return
                left -= 1
                if self._differs([line], alone=True):
                    yield line

    def _silent(self, line: Block) -> bool:
        """Whether it is known without looking closer that it runs nothing, before and after."""
        silent = line.start < line.end and (line.start + 1 in self.documents or not _speaks(self.new[line.start]))
        return silent and not any(map(_speaks, line.old))

    def _put_back(self, changed: Sequence[Block], first: int, last: int) -> list[bytes]:
        """Lines ``first`` to ``last`` of the new file, with those blocks as they were."""
        told, at = list[bytes](), first
        for block in changed:
            told += [*self.new[at:block.start], *block.old]
            at = block.end
        told += self.new[at:last]
        # A last line without an end must not grow together with what now follows it.
        return [line if line.endswith((b"\n", b"\r")) or number == len(told) - 1 else line + b"\n"
                for number, line in enumerate(told)]

    def _reverting(self, part: Part, changed: list[Block]) -> Reverting | None:
        first, last = self._extent(changed)
        before, region = b"".join(self.new[:first]), b"".join(self.new[first:last])
        try:
            original = region.decode(self.encoding)
            replacement = b"".join(self._put_back(changed, first, last)).decode(self.encoding)
        except UnicodeError:
            return None  # it was written in another encoding
        start, end = changed[0].start, max(changed[-1].end, changed[0].start)
        mutant = Mutant(
            id=identity(self.path, OPERATOR, part, original, replacement, ordinal=start), path=self.path,
            operator=OPERATOR, line=first + 1, column=0, end_line=max(last, first + 1), end_column=0,
            original=original, replacement=replacement, start=len(before), end=len(before) + len(region), function="",
            scope="module", description=f"{part} put back")
        line = start + 1 if changed[-1].end > start else max(1, start)
        return Reverting(part=part, mutant=mutant, line=line, end_line=max(end, line), diff=self._diff(changed))

    def _diff(self, changed: Sequence[Block]) -> str:
        signed = [(sign, text) for block in changed for sign, lines in (
            ("-", self.new[block.start:block.end]), ("+", block.old)) for text in lines]
        lines = [f"{sign}{text.decode('utf-8', 'replace').rstrip()}" for sign, text in signed]
        return "\n".join(lines)[:_MOST_SHOWN]

    def _extent(self, changed: Sequence[Block]) -> tuple[int, int]:
        """Whole statements around them, so that the tests are found that run any of it."""
        first, last = self._speaking(changed[0].start, changed[-1].end)
        around = [(one - 1, two) for one, two in self.statements if one <= last and two > first]
        return min([first, *(one for one, _ in around)]), max([last, *(two for _, two in around)])


def blocks_of(old: list[bytes], new: list[bytes]) -> list[Block]:
    """Where two lists of lines differ."""
    return [Block(three, four, tuple(old[one:two]))
            for tag, one, two, three, four in opcodes(old, new) if tag != "equal"]


def _cut(block: Block) -> Iterator[Block]:
    """A block line by line, where that says which line was which; a block of one line is told as a block already."""
    many = block.end - block.start
    if many == len(block.old) > 1:
        yield from (Block(block.start + at, block.start + at + 1, (line,)) for at, line in enumerate(block.old))
    elif not block.old and many > 1:
        yield from (Block(at, at + 1, ()) for at in range(block.start, block.end))
    elif not many and len(block.old) > 1:
        yield from (Block(block.start, block.start, (line,)) for line in block.old)


def _speaks(line: bytes) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith(b"#")


def _parsed(source: bytes) -> ast.Module:
    with quiet():
        tree = ast.parse(source)
        compile(tree, "<changed>", "exec", dont_inherit=True)
    return tree


_Statement = tuple[tuple[bytes, ...], ast.stmt]
"""With its text."""


def _outermost(tree: ast.Module, lines: Sequence[bytes]) -> list[_Statement]:
    """The statements of a file, without its docstring."""
    own, found = _docstring(tree), list[_Statement]()
    for node in tree.body:
        decorators: list[ast.expr] = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(one.lineno for one in decorators)])
        place = b"%d:%d" % (node.col_offset, node.end_col_offset or 0)
        found += [((*lines[first - 1:node.end_lineno], place), node)] if node is not own else []
    return found


def _apart(one: Sequence[_Statement], other: Sequence[_Statement]) -> tuple[Sequence[_Statement], Sequence[_Statement]]:
    """Both without what they have in common at their ends, by its text."""
    shorter = min(len(one), len(other))
    first = next((at for at in range(shorter) if one[at][0] != other[at][0]), shorter)
    last = next((at for at in range(shorter - first) if one[-1 - at][0] != other[-1 - at][0]), shorter - first)
    return one[first:len(one) - last], other[first:len(other) - last]


def _meaning(tree: ast.stmt) -> str:
    """What one statement runs."""
    found = [(node, _docstring(node)) for node in ast.walk(tree)]
    held = [(node, node.body[0]) for node, text in found if text is not None]  # type: ignore[attr-defined]  # those have one
    for node, _ in held:
        del node.body[0]  # type: ignore[attr-defined]  # the same
    try:
        return ast.dump(tree)
    finally:
        for node, text in held:
            node.body.insert(0, text)  # type: ignore[attr-defined]  # the same


def _docstring(node: ast.AST) -> ast.Expr | None:
    if isinstance(node, _DOCUMENTED) and node.body and isinstance(first := node.body[0], ast.Expr) and isinstance(
            first.value, ast.Constant) and isinstance(first.value.value, str):
        return first
    return None


def _docstring_lines(tree: ast.Module) -> Collection[int]:
    found = [text for node in ast.walk(tree) if (text := _docstring(node)) is not None]
    return {number for text in found for number in range(text.lineno, (text.end_lineno or text.lineno) + 1)}
