"""A change set written as a git patch."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import TypeAlias

from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.workspace import beneath
from windtunnel.workspace.changes import NEW_MODE
from windtunnel.workspace.fitting import split
from windtunnel.workspace.patch_names import quote

_Code: TypeAlias = tuple[str, int, int, int, int]
_CONTEXT = 3
_MOST_COMPARED = 40_000_000
"""Pairs of lines beyond which the lines between the first and the last difference are replaced as one block."""


def write_patch(changes: ChangeSet, *, project: Path) -> bytes:
    """A patch that ``git apply`` takes and that reads back to the same set.

    Any bytes are written as lines, also those of files that git would call binary. Git knows of a mode only whether
    the file may be executed; other permission bits are lost.
    """
    with beneath.opened(project) as root:
        return b"".join(line for change in changes for line in _file(root, change))


def _file(root: int, change: FileChange) -> Iterator[bytes]:
    path = change.relative_path
    old, old_mode = beneath.read(root, path) or (b"", NEW_MODE)
    new, new_mode = change.data, (old_mode if change.mode is None else change.mode)
    if change.operation == "create":
        new_mode = NEW_MODE if change.mode is None else change.mode
    before, after = quote(f"a/{path}"), quote(f"b/{path}")
    yield b"diff --git %s %s\n" % (before, after)
    yield from _modes(change, _git(old_mode), _git(new_mode))
    if old != new or change.operation != "modify":
        yield _index(change, old, new, mode=_git(new_mode) if _git(old_mode) == _git(new_mode) else None)
    if old != new:
        yield b"--- %s\n" % _dated(b"/dev/null" if change.operation == "create" else before)
        yield b"+++ %s\n" % _dated(b"/dev/null" if change.operation == "delete" else after)
        yield from _hunks(split(old), split(new))


def _git(mode: int) -> int:
    return 0o100755 if mode & 0o100 else 0o100644


def _dated(name: bytes) -> bytes:
    """With a tab after a name that has blanks, so that nobody takes the rest for a date."""
    return name + b"\t" if b" " in name and not name.startswith(b'"') else name


def _modes(change: FileChange, old: int, new: int) -> Iterator[bytes]:
    if change.operation == "create":
        yield b"new file mode %o\n" % new
    elif change.operation == "delete":
        yield b"deleted file mode %o\n" % old
    elif old != new:
        yield b"old mode %o\nnew mode %o\n" % (old, new)


def _index(change: FileChange, old: bytes, new: bytes, *, mode: int | None) -> bytes:
    nothing = b"0" * 40
    one = nothing if change.operation == "create" else _blob(old)
    two = nothing if change.operation == "delete" else _blob(new)
    return b"index %s..%s%s\n" % (one, two, b" %o" % mode if mode and change.operation == "modify" else b"")


def _blob(content: bytes) -> bytes:
    """Git's name for a content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest().encode()


def _hunks(old: list[bytes], new: list[bytes]) -> Iterator[bytes]:
    for group in _groups(opcodes(old, new)):
        (_, first, _, third, _), (_, _, second, _, fourth) = group[0], group[-1]
        yield b"@@ -%s +%s @@\n" % (_range(first, second), _range(third, fourth))
        for tag, one, two, three, four in group:
            if tag == "equal":
                yield from _signed(b" ", old[one:two])
                continue
            yield from _signed(b"-", old[one:two])
            yield from _signed(b"+", new[three:four])


def opcodes(old: list[bytes], new: list[bytes]) -> list[_Code]:
    """What to do from the first line to the last, as ``difflib`` says it."""
    least = min(len(old), len(new))
    head = next((n for n in range(least) if old[n] != new[n]), least)
    tail = next((n for n in range(least - head) if old[-1 - n] != new[-1 - n]), least - head)
    one, two = old[head : len(old) - tail], new[head : len(new) - tail]
    middle = [("replace", 0, len(one), 0, len(two))]
    if len(one) * len(two) <= _MOST_COMPARED:
        middle = list(SequenceMatcher(None, one, two, autojunk=len(one) > 2000).get_opcodes())  # noqa: PLR2004 -- lines
    codes = [("equal", 0, head, 0, head)] if head else []
    codes += [(tag, a + head, b + head, c + head, d + head) for tag, a, b, c, d in middle]
    if tail:
        codes.append(("equal", len(old) - tail, len(old), len(new) - tail, len(new)))
    return codes


def _groups(codes: list[_Code]) -> Iterator[list[_Code]]:
    """Changes with their context; those nearer than twice the context share a hunk."""
    group: list[_Code] = []
    for number, (tag, one, two, three, four) in enumerate(codes):
        joined = bool(group) and number < len(codes) - 1 and two - one <= 2 * _CONTEXT
        if tag != "equal" or joined:
            group.append((tag, one, two, three, four))
            continue
        if group:
            most = min(two, one + _CONTEXT)
            yield [*group, (tag, one, most, three, three + most - one)]
        least = max(one, two - _CONTEXT)
        group = [(tag, least, two, four - (two - least), four)]
    if any(tag != "equal" for tag, *_ in group):
        yield group


def _range(first: int, last: int) -> bytes:
    count = last - first
    return b"%d,%d" % (first + 1 if count else first, count)


def _signed(sign: bytes, lines: list[bytes]) -> Iterator[bytes]:
    for line in lines:
        yield sign + line if line.endswith(b"\n") else sign + line + b"\n\\ No newline at end of file\n"
