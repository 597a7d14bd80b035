"""Comments by which a change would keep its own lines from being judged."""

from __future__ import annotations

from collections.abc import Iterable

from windtunnel.engine.reverts import ChangedFile
from windtunnel.mutation.comments import closes, opens, pragmas

_MOST_SHOWN = 200


def distrusted(file: ChangedFile) -> frozenset[int]:
    """Lines whose comments do not count: those of the change, and all beginnings where it moves or removes an end."""
    own = _own(file)
    if not _moves_an_end(file):
        return frozenset(own)
    return frozenset(own) | {line for line, comment in pragmas(file.after).items() if opens(comment)}


def told(files: Iterable[ChangedFile]) -> tuple[str, ...]:
    """What people should read, one line each."""
    found = []
    for file in files:
        found += [f"{file.path}:{line}: {comment[:_MOST_SHOWN]}" for line, comment in sorted(_own(file).items())]
        if _moves_an_end(file):
            found.append(f"{file.path}: takes away the end of what a comment exempts")
    return tuple(found)


def _own(file: ChangedFile) -> dict[int, str]:
    return {line: comment for line, comment in pragmas(file.after).items() if line in file.lines}


def _moves_an_end(file: ChangedFile) -> bool:
    """An end that is gone would let what an old comment begins reach over the change."""
    old = (line.decode("latin-1") for block in file.blocks for line in block.old)
    return any(closes(line[line.index("#"):]) for line in old if "#" in line)
