"""A project with the edits that were kept so far, and nothing of it on disk."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from windtunnel.checks.project import MOST_BYTES
from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.core.repair import FileEdit, Proposal, unified


class Files(Protocol):
    """Files to be fixed: a project's folder, or texts that somebody has in hand."""

    def read(self, path: str) -> bytes | None:
        """What is in one; None where there is none."""
        ...

    def exists(self, path: str) -> bool:
        """Whether there is one."""
        ...

    def glob(self, pattern: str) -> Sequence[str]:
        """Those that match, sorted."""
        ...


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts by path, as if they were a project."""

    texts: Mapping[str, str]

    def read(self, path: str) -> bytes | None:
        """One of them."""
        return self.texts[path].encode("utf-8", "surrogateescape") if path in self.texts else None

    def exists(self, path: str) -> bool:
        """Whether it is one of them."""
        return path in self.texts

    def glob(self, pattern: str) -> Sequence[str]:
        """Those whose end is that of ``**/end``, where ``*`` is any part of a name."""
        end = re.escape(pattern.removeprefix("**/")).replace(r"\*", "[^/]*")
        return sorted(path for path in self.texts if re.search(f"(?:^|/){end}$", path))


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """What proposals are made for: the project on disk, with some files replaced."""

    folder: Files
    texts: Mapping[str, str] = field(default_factory=dict)
    """Whole new texts by path."""
    steps: tuple[Proposal, ...] = ()
    """What was kept, in order, each as it was proposed for the base before it."""

    def read(self, path: str) -> str | None:
        """The text of a file; None where there is none, or none that is UTF-8, or one too large to be whole."""
        if path in self.texts:
            return self.texts[path]
        return self.original(path)

    def original(self, path: str) -> str | None:
        """The same on disk."""
        data = self.folder.read(path)
        if data is None or len(data) >= MOST_BYTES:
            return None
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            return None

    def data(self, path: str) -> bytes | None:
        """The bytes of a file, as readers of places want them."""
        return self.texts[path].encode("utf-8", "surrogateescape") if path in self.texts else self.folder.read(path)

    def whole(self, proposal: Proposal) -> Proposal:
        """A proposal for this base as one for the project on disk: with the edits of the base."""
        edited = {edit.path for edit in proposal.edits}
        before = tuple(FileEdit(path=path, text=text) for path, text in sorted(self.texts.items())
                       if path not in edited)
        return replace(proposal, edits=(*proposal.edits, *before)) if before else proposal

    def after(self, proposal: Proposal) -> Base:
        """With one proposal more."""
        texts = {**self.texts, **{edit.path: edit.text for edit in proposal.edits}}
        return replace(self, texts=self.kept(texts), steps=(*self.steps, proposal))

    def kept(self, texts: Mapping[str, str]) -> dict[str, str]:
        """Those of the texts that are not as on disk."""
        return {path: text for path, text in texts.items() if self.original(path) != text}

    def changes(self) -> ChangeSet:
        """All edits as a change of the project."""
        return changes_of(self.folder, self.texts.items())

    def diff(self) -> str:
        """All edits as a unified diff."""
        return "".join(unified(path, self.original(path) or "", text) for path, text in sorted(self.texts.items()))


def changes_of(folder: Files, texts: Iterable[tuple[str, str]]) -> ChangeSet:
    """Texts as a change of what is on disk."""
    return ChangeSet(changes=tuple(
        FileChange(path, "modify" if folder.exists(path) else "create", text) for path, text in sorted(texts)))
