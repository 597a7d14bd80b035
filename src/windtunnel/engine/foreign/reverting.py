"""A changed file of another language with parts of the change put back, as text; its meaning is that of its grammar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from windtunnel.core.errors import UsageError
from windtunnel.engine.foreign.inline_tests import inline_tests
from windtunnel.engine.foreign.making import exempting
from windtunnel.engine.reverts import Block, ChangedFile, blocks_of
from windtunnel.mutation import grammars


class ForeignFile(ChangedFile):
    """Before and after; one that its grammar cannot read after the change is refused.

    Tests in it are no part of it: they are neither put back nor mutated.
    """

    most_lines = 10
    """Every part put back costs a whole run of the tests."""

    def __init__(self, path: str, before: bytes | None, after: bytes) -> None:
        """``before`` is None for a new file; a ``UsageError`` says why it cannot be judged."""
        self.path, self.after, self.is_new = path, after, before is None
        self.new, self.old = after.splitlines(keepends=True), (before or b"").splitlines(keepends=True)
        self.encoding, self.statements = "utf-8", []
        grammars.enclosing(after, path=path, line=1)
        tests = inline_tests(after, path=path)
        self.blocks = [part for block in blocks_of(self.old, self.new) for part in _without(block, tests)]

    @property
    def put_back(self) -> bytes:
        """The file as it was, with the tests in it as they are; of a new file, these alone."""
        return b"".join(self._put_back(self.blocks, 0, len(self.new)))

    @property
    def exempting(self) -> tuple[str, ...]:
        """Comments of the change that would keep its own lines from being mutated, with their places."""
        return tuple(f"{self.path}:{line}: {text[:200]}" for line, text in exempting(self.after, self.lines).items())

    def _differs(self, changed: Sequence[Block], *, alone: bool = False) -> bool:
        text = b"".join(self._put_back(changed, 0, len(self.new)))
        return not grammars.same(text, self.after, path=self.path) and (not alone or _reads(text, self.path))

    def _silent(self, line: Block) -> bool:  # noqa: ARG002 -- what it overrides looks at it
        """Nothing is known to say nothing before it is read."""
        return False


def _without(block: Block, tests: frozenset[int]) -> Iterator[Block]:
    """The pieces of a block that are no tests; the first has what stood there before."""
    lines = [number for number in range(block.start, block.end) if number + 1 not in tests]
    if not lines:
        if block.start == block.end and not {block.start, block.start + 1} <= tests:
            yield block
        return
    old = block.old
    start = before = lines[0]
    for number in (*lines[1:], None):
        if number is not None and number == before + 1:
            before = number
            continue
        yield Block(start, before + 1, old)
        old = ()
        if number is not None:
            start = before = number


def _reads(text: bytes, path: str) -> bool:
    try:
        grammars.enclosing(text, path=path, line=1)
    except UsageError:
        return False
    return True
