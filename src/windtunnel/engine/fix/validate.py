"""Before a proposal costs a test: it is in its place, parses, means something else, and names what there is.

What holds: nothing that is dropped here could have passed, but for names that only come to be at run time in a way
that a file does not show. What does not: that a proposal is let through says nothing of its being right.
"""

from __future__ import annotations

import ast
import hashlib
import warnings
from collections.abc import Callable, Iterable, Iterator

from windtunnel.core.errors import LanguageMissing, UsageError
from windtunnel.core.repair import FileEdit, Proposal
from windtunnel.engine.fix.base import Base
from windtunnel.engine.fix.names import undefined, words
from windtunnel.engine.fix.region import Region, region_of, told

_MOST_TEXT = 4 * 1024**2
_MOST_FILES = 20
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


class Validator:
    """For one base; remembers what it let through."""

    def __init__(
        self, base: Base, *, may: Callable[[str], bool], may_become: Callable[[str, str, str], bool] | None = None,
        earlier: Iterable[Base] = (),
    ) -> None:
        """``may`` says which files may be touched; ``earlier`` are the bases that this one came from.

        ``may_become`` says of a file, its text on disk and another one whether it may come to that.
        """
        self._base, self._may, self._may_become = base, may, may_become
        self._states = [dict(one.texts) for one in earlier]
        self._seen: set[str] = set()
        self._undefined: dict[str, frozenset[str]] = {}
        self._trees: dict[str, ast.Module | None] = {}
        self.dropped: dict[str, int] = {}
        """How many were not worth a test, by why."""

    def __call__(self, proposals: Iterable[Proposal]) -> Iterator[Proposal]:
        """Those worth a test."""
        for proposal in proposals:
            why = self.fault(proposal)
            if why:
                self.dropped[why] = self.dropped.get(why, 0) + 1
            else:
                yield proposal

    def fault(self, proposal: Proposal) -> str:
        """Why it is not worth a test; empty for one that is."""
        edits = proposal.edits
        if not 0 < len(edits) <= _MOST_FILES or len({edit.path for edit in edits}) != len(edits):
            return "malformed"
        if not all(self._may(edit.path) for edit in edits):
            return "outside of what may be touched"
        if any(len(edit.text) > _MOST_TEXT or "\0" in edit.text for edit in edits):
            return "malformed"
        if self._may_become is not None and not all(
                self._may_become(edit.path, self._base.original(edit.path) or "", edit.text) for edit in edits):
            return "outside of what may be touched"
        real = [edit for edit in edits if self._base.read(edit.path) != edit.text]
        return ("the same text" if not real else "") or self._undoes(real) or self._reads(real)

    def _undoes(self, edits: list[FileEdit]) -> str:
        after = self._base.kept({**self._base.texts, **{edit.path: edit.text for edit in edits}})
        back = any(edit.path in self._base.texts and edit.text == self._base.original(edit.path) for edit in edits)
        return "undoes an earlier one" if back or after in self._states else ""

    def _reads(self, edits: list[FileEdit]) -> str:
        marks = []
        for edit in edits:
            mark = self._python(edit) if edit.path.endswith((".py", ".pyi")) else _foreign(
                edit, self._base.read(edit.path) or "")
            if not mark.startswith("="):
                return mark
            marks.append(f"{edit.path}{mark}")
        seen = hashlib.sha256("\0".join(sorted(marks)).encode("utf-8", "surrogatepass")).hexdigest()
        if seen in self._seen:
            return "the same tree as another"
        self._seen.add(seen)
        return ""

    def _python(self, edit: FileEdit) -> str:
        """What the edit comes to, after a ``=``; or why it is not worth a test."""
        old = self._base.read(edit.path) or ""
        tree, was = parsed(edit.text), self._tree(edit.path, old)
        if isinstance(tree, SyntaxError):
            return "=later " + edit.text if self._later(tree, old) else "does not parse"
        if was is None or not old:
            return f"={edit.text}"
        region = region_of(old, edit.text)
        after, before = told(tree, first=region.first, end=region.new_end), told(
            was, first=region.first, end=region.old_end)
        if after == before:
            return "the same tree"
        return self._unknown(edit, old, region) or f"={after}"

    def _unknown(self, edit: FileEdit, old: str, region: Region) -> str:
        """A name that the edit brings and nobody defines."""
        fresh = words("".join(edit.text.splitlines(keepends=True)[region.first - 1:region.new_end - 1])) - words(old)
        gone = words("".join(old.splitlines(keepends=True)[region.first - 1:region.old_end - 1]))
        if not fresh and gone <= words(edit.text):
            return ""  # every name was there before; one used in another function now is the tests' business
        if edit.path not in self._undefined:
            self._undefined[edit.path] = undefined(old, path=edit.path)
        return "a name that nobody defines" if undefined(edit.text, path=edit.path) - self._undefined[
            edit.path] else ""

    def _tree(self, path: str, text: str) -> ast.Module | None:
        if path not in self._trees:
            tree = parsed(text)
            self._trees[path] = None if isinstance(tree, SyntaxError) else tree
        return self._trees[path]

    @staticmethod
    def _later(fault: SyntaxError, old: str) -> bool:
        """Whether a text that did not parse now reads on to a later fault."""
        before = parsed(old)
        return isinstance(before, SyntaxError) and (fault.lineno or 0) > (before.lineno or 0)


def parsed(text: str) -> ast.Module | SyntaxError:
    """A Python text as a tree, or where it stops being one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text.encode("utf-8", "surrogateescape"))
        except SyntaxError as fault:
            return fault
        except _UNREADABLE:
            return SyntaxError("too deep or no text")


def _foreign(edit: FileEdit, old: str) -> str:
    """For languages with a grammar, where those are installed: a file that parsed still does, and means another."""
    from windtunnel.mutation.grammars import language_of, same  # noqa: PLC0415 -- few projects need it

    before, after = (text.encode("utf-8", "surrogateescape") for text in (old, edit.text))
    if language_of(edit.path) is None:
        return f"={edit.text}"
    try:
        if _parses(after, edit.path):
            return "the same tree" if _parses(before, edit.path) and same(before, after, path=edit.path) else (
                f"={edit.text}")
        return "does not parse" if _parses(before, edit.path) else f"={edit.text}"
    except LanguageMissing:
        return f"={edit.text}"


def _parses(data: bytes, path: str) -> bool:
    from windtunnel.mutation.grammars.source import read  # noqa: PLC0415 -- an extra

    try:
        read(data, path=path)
    except UsageError:
        return False
    return True
