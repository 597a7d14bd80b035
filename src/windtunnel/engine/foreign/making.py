"""The mutants of one family's files, as they were asked for."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from windtunnel.core.errors import UsageError
from windtunnel.core.mutation import Mutant
from windtunnel.engine.mutation_order import draw
from windtunnel.mutation import grammars

if TYPE_CHECKING:
    from windtunnel.engine.mutation import Mutation

_MOST_MUTANTS = 20_000
"""Of more than these a random part is judged, and the result says so."""
_PRAGMA = re.compile(rb"pragma:\s*no mutate", re.IGNORECASE)


def made(sources: Mapping[str, bytes], mutation: Mutation) -> tuple[list[Mutant], int, tuple[str, ...]]:
    """Mutants in the order of the text, how many were dropped as equivalent, and what could not be read."""
    from windtunnel.engine.mutation import asked  # noqa: PLC0415 -- it stands above this file

    found: list[Mutant] = []
    dropped, notes = 0, list[str]()
    wanted = [path for path in sources if asked(path, mutation.paths) and (
        mutation.lines is None or mutation.lines.get(path))]
    for path in wanted:
        try:
            mutants, less = _of_file(sources[path], path, mutation)
        except UsageError as error:
            if error.field in ("operators", "syntax"):
                raise
            notes.append(str(error))
            continue
        found, dropped = [*found, *mutants], dropped + less
    found += [mutant for mutant in mutation.extra if mutant.path in wanted]
    if len(found) > _MOST_MUTANTS:
        notes.append(f"{len(found)} mutants, of which {_MOST_MUTANTS} were drawn at random (name fewer files for all)")
        found = [found[number] for number in sorted(draw(found)[:_MOST_MUTANTS])]
    return found, dropped, tuple(notes)


def _of_file(source: bytes, path: str, mutation: Mutation) -> tuple[list[Mutant], int]:
    lines = None if mutation.lines is None else mutation.lines[path]
    told = grammars.screened(heeded(source, mutation.distrusted.get(path, ())), path=path, lines=lines,
                             operators=mutation.operators)
    mutants = [replace(mutant, original=source[mutant.start:mutant.end].decode("utf-8", "replace"))
               for mutant in told.mutants]
    return mutants, sum(told.dropped.values())


def heeded(source: bytes, distrusted: Collection[int]) -> bytes:
    """The file of the same length without the comments of those lines that would exempt something."""
    if not distrusted or not _PRAGMA.search(source):
        return source
    lines = source.splitlines(keepends=True)
    return b"".join(_PRAGMA.sub(lambda match: b"-" * len(match[0]), line) if number in distrusted else line
                    for number, line in enumerate(lines, 1))


def exempting(source: bytes, lines: Collection[int]) -> dict[int, str]:
    """Comments in these lines that would exempt something, by line."""
    return {number: line.decode("utf-8", "replace").strip() for number, line in enumerate(source.splitlines(), 1)
            if number in lines and _PRAGMA.search(line)}
