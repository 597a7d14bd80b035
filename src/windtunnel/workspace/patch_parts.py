"""A patch taken apart into what it says of each file; nothing is looked up yet."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NoReturn

from windtunnel.core.errors import UsageError
from windtunnel.workspace.hunks import Hunk, Misfit, check_order, is_header, read_hunk
from windtunnel.workspace.patch_names import NOTHING, header_names, is_epoch, name_of, without_prefix
from windtunnel.workspace.paths import shown

_BINARY = re.compile(rb"Binary files (.+) and (.+) differ\r?$|GIT binary patch\r?$")
_COMMIT = re.compile(rb"From [0-9a-f]{40,64} ")
_MODES = {0o100644: 0o644, 0o100755: 0o755, 0o100664: 0o644, 0o100600: 0o644, 0o100775: 0o755, 0o100700: 0o755}
_SPECIAL = {0o120000: "a symbolic link", 0o160000: "a submodule", 0o040000: "a folder"}


@dataclass(slots=True, kw_only=True)
class FilePart:
    """What a patch says of one file, while it is read."""

    old: str
    new: str
    commit: int
    """Which of several patches in one mail box it belongs to."""
    git: bool = False
    old_mode: int | None = None
    new_mode: int | None = None
    """0o644 or 0o755; git knows no others."""
    created: bool = False
    deleted: bool = False
    moved: str = ""
    """``rename`` or ``copy``."""
    returns: bool = False
    """Whether its headers end in carriage returns, as in a patch that went through a mail program or an editor."""
    hunks: list[Hunk] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The one to show."""
        return self.old if self.new == NOTHING else self.new


def refuse(name: str, why: str) -> NoReturn:
    """Say which file of the patch is not taken."""
    raise UsageError(f"patch: {name if name.isprintable() else shown(name)}: {why}", field="patch")


def read_parts(patch: bytes) -> tuple[list[FilePart], list[str]]:
    """Everything the patch says, in order, and notes."""
    reader = _Reader(patch)
    while reader.at < len(reader.lines):
        reader.step()
    for part in reader.parts:
        _check(part)
    return reader.parts, reader.notes


class _Reader:
    def __init__(self, patch: bytes) -> None:
        self.lines = [line + b"\n" for line in patch.split(b"\n")]
        if self.lines[-1] == b"\n":
            self.lines.pop()
        self.parts: list[FilePart] = []
        self.notes: list[str] = []
        self.at = self.commit = 0
        if not patch.endswith(b"\n"):
            self.notes.append("the patch ends without a line feed; one was assumed")

    def step(self) -> None:
        line = self.lines[self.at]
        following = self.lines[self.at + 1] if self.at + 1 < len(self.lines) else b""
        if line.startswith(b"diff --git "):
            self._git()
        elif line.startswith((b"diff --cc ", b"diff --combined ")):
            refuse(name_of(line.split(b" ", 2)[2]), "a combined diff of a merge; give one against a single parent")
        elif line.startswith(b"--- ") and following.startswith(b"+++ "):
            self._plain()
        elif is_header(line):
            refuse(f"line {self.at + 1}", "a hunk without the names of its file (--- and +++) before it")
        else:
            self._aside(line)

    def _aside(self, line: bytes) -> None:
        """Mail headers, commit messages and remarks of diff itself."""
        self.commit += _COMMIT.match(line) is not None
        if found := _BINARY.match(line):
            refuse(name_of(found[2] or b"a file").removeprefix("b/"), "a binary change cannot be read from a patch; "
                   "give the new content as a FileChange")
        if line.startswith(b"Only in "):
            self.notes.append(f"not in the patch: {line.decode('utf-8', 'replace').strip()}")
        self.at += 1

    def _git(self) -> None:
        line = self.lines[self.at]
        names = header_names(line.removeprefix(b"diff --git "))
        old, new = without_prefix(*names) if names else ("", "")
        bare = names is not None and names == (old, new)
        part = FilePart(old=old, new=new, commit=self.commit, git=True, returns=line.endswith(b"\r\n"))
        self.at += 1
        while self.at < len(self.lines) and self._extended(part, self.lines[self.at]):
            self.at += 1
        if self.at + 1 < len(self.lines) and self.lines[self.at].startswith(b"--- "):
            self._names(part, bare=bare)
        if not part.name:
            refuse(line.decode("utf-8", "replace").strip(), "the names cannot be told apart")
        self._hunks(part)

    def _extended(self, part: FilePart, line: bytes) -> bool:
        if found := _BINARY.match(line):
            refuse(part.name, "a binary change cannot be read from a patch; give the new content as a FileChange")
        for words, act in _EXTENDED.items():
            if line.startswith(words):
                act(part, line.removeprefix(words))
                return True
        return found is not None

    def _plain(self) -> None:
        line = self.lines[self.at]
        part = FilePart(old="", new="", commit=self.commit, returns=line.endswith(b"\r\n"))
        self._names(part, bare=False)
        self._hunks(part)
        if not part.hunks:
            refuse(part.name, "names a file and has no hunk for it")

    def _names(self, part: FilePart, *, bare: bool) -> None:
        """Take the names from ``---`` and ``+++``, which say more than the line of git."""
        old, new = self.lines[self.at], self.lines[self.at + 1]
        if not new.startswith(b"+++ "):
            refuse(part.name, f"line {self.at + 2}: expected +++ after ---")
        names = name_of(old[4:]), name_of(new[4:])
        if not part.moved:
            part.old, part.new = names if bare else without_prefix(*names)
        gone, made = is_epoch(new) and not part.git, is_epoch(old) and not part.git
        part.created = part.created or names[0] == NOTHING or made
        part.deleted = part.deleted or names[1] == NOTHING or gone
        self.at += 2

    def _hunks(self, part: FilePart) -> None:
        self.parts.append(part)
        try:
            while self.at < len(self.lines) and is_header(self.lines[self.at]):
                hunk, self.at = read_hunk(self.lines, self.at, number=len(part.hunks) + 1)
                part.hunks.append(hunk)
            check_order(part.hunks)
        except Misfit as error:
            refuse(part.name, str(error))


def _mode(part: FilePart, text: bytes) -> int | None:
    try:
        mode = int(text.strip(), 8)
    except ValueError:
        refuse(part.name, f"not a mode: {text.decode('utf-8', 'replace').strip()!r}")
    if mode in _SPECIAL:
        refuse(part.name, f"{_SPECIAL[mode]} (mode {mode:06o}) cannot be changed; only plain files can")
    if mode not in _MODES:
        refuse(part.name, f"mode {mode:o} is not taken (git writes 100644 or 100755)")
    return _MODES[mode]


def _old_mode(part: FilePart, text: bytes) -> None:
    part.old_mode = _mode(part, text)


def _new_mode(part: FilePart, text: bytes) -> None:
    part.new_mode = _mode(part, text)


def _created(part: FilePart, text: bytes) -> None:
    part.new_mode, part.created = _mode(part, text), True


def _deleted(part: FilePart, text: bytes) -> None:
    part.old_mode, part.deleted = _mode(part, text), True


def _index(part: FilePart, text: bytes) -> None:
    words = text.split()
    if len(words) == 2:  # noqa: PLR2004 -- hashes and mode
        _mode(part, words[1])


def _from(part: FilePart, text: bytes) -> None:
    part.old = name_of(text)


def _rename(part: FilePart, text: bytes) -> None:
    part.new, part.moved = name_of(text), "rename"


def _copy(part: FilePart, text: bytes) -> None:
    part.new, part.moved = name_of(text), "copy"


def _nothing(part: FilePart, text: bytes) -> None:
    del part, text


_EXTENDED: dict[bytes, Callable[[FilePart, bytes], None]] = {
    b"old mode ": _old_mode, b"new mode ": _new_mode, b"new file mode ": _created, b"deleted file mode ": _deleted,
    b"index ": _index, b"similarity index ": _nothing, b"dissimilarity index ": _nothing, b"rename from ": _from,
    b"rename old ": _from, b"rename to ": _rename, b"rename new ": _rename, b"copy from ": _from, b"copy to ": _copy,
}


def _check(part: FilePart) -> None:
    if part.created and part.deleted:
        refuse(part.name, "made and deleted at once")
    if part.created and any(hunk.old for hunk in part.hunks):
        refuse(part.name, f"hunk {part.hunks[0].number}: a new file has no old lines")
    if part.returns:
        part.hunks[:] = [_unreturned(hunk) for hunk in part.hunks]


def _unreturned(hunk: Hunk) -> Hunk:
    lines = tuple((sign, line.removesuffix(b"\r\n") + b"\n" if line.endswith(b"\r\n") else line.removesuffix(b"\r"))
                  for sign, line in hunk.lines)
    return Hunk(number=hunk.number, old_start=hunk.old_start, new_start=hunk.new_start, lines=lines)
