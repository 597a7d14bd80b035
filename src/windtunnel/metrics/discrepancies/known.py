"""What was made of contents before, so that a file that did not change is not read again.

What holds: the answers are the same with it and without it. It keeps what the last comparison asked for and forgets the
rest, so it never grows beyond one project; what it keeps lives as long as the process.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar, cast

Made = TypeVar("Made")
_Key = tuple[str, bytes, tuple[str, ...]]


class Known:
    """By content, and by what else an answer depends on."""

    def __init__(self) -> None:
        """Nothing yet."""
        self._kept: dict[_Key, object] = {}
        self._asked: dict[_Key, object] = {}

    def __len__(self) -> int:
        """How many answers are kept."""
        return len(self._kept)

    @contextmanager
    def pass_over(self) -> Iterator[None]:
        """One comparison: what nobody asks for until its end is forgotten."""
        self._asked = {}
        yield
        self._kept, self._asked = self._asked, {}

    def of(self, make: Callable[[bytes], Made], content: bytes, *depends: str) -> Made:
        """What ``make`` makes of a content; ``depends`` names all else that its answer depends on.

        Answers are shared, so nobody changes them.
        """
        key = (make.__qualname__, hashlib.sha256(content).digest(), depends)
        if key not in self._asked:
            self._asked[key] = self._kept[key] if key in self._kept else make(content)
        return cast("Made", self._asked[key])
