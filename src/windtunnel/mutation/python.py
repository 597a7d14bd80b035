"""The mutants of a Python file.

What holds: a mutant names the bytes that it replaces, and every other byte of the file stays: encoding declarations,
byte order marks, line ends, tabs, a missing last line end. A file that does not compile is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from windtunnel.core.errors import UsageError
from windtunnel.mutation.candidates import candidates, chosen
from windtunnel.mutation.encoding import encoding_of
from windtunnel.mutation.mutant import Mutant
from windtunnel.mutation.operator import Operator
from windtunnel.mutation.source import read


def mutants(source: bytes, *, path: str, lines: Collection[int] | None = None, operators: Collection[str] | None = None,
            custom: Sequence[Operator] = (), representations: bool = False) -> Iterator[Mutant]:
    """All mutants in the order of the text, without those that a known pattern says are equivalent.

    With ``lines``, only those that touch one of them; their names are the same as without. ``custom`` are the user's
    own operators; ``representations`` asks for ``__repr__`` too.
    """
    found = candidates(read(source, path=path, lines=lines), lines=lines, operators=chosen(operators, custom=custom),
                       representations=representations)
    return (candidate.mutant for candidate in found if not candidate.equivalent)


def mutated(source: bytes, mutant: Mutant) -> bytes:
    """The file with that one mutant; refused if the bytes it replaces are not there."""
    encoding = encoding_of(source, path=mutant.path)
    if source[mutant.start:mutant.end] != mutant.original.encode(encoding) or mutant.start > len(source):
        raise UsageError(f"{mutant.path}: is not the file that mutant {mutant.id} was made of", field="source")
    return source[:mutant.start] + mutant.replacement.encode(encoding) + source[mutant.end:]
