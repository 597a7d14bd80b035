"""One place where a program decides by a constant, in any language."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

How = Literal["whole", "part", "length", "pattern", "row", "answer"]
"""Held against an input, a part of one, its length, a pattern that it fits, a key that it is looked up by; or an answer
that is kept ready."""


_WORKED_OUT = re.compile(r"\.length|len\(|charCodeAt|codePointAt|ord\(|sum\(|reduce|[-+*%^]")
"""What makes a number of inputs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A constant that an outcome depends on."""

    value: object
    how: How
    line: int
    function: str = ""
    """The innermost function around it; empty for the top of a file."""
    subject: str = ""
    """What is held against the constant, as far as it has a name."""
    evidence: str = ""
    answer: str | None = None
    """The canonical text of the outcome where it is made of constants alone."""
    alone: bool = False
    """Whether the function is as it was when this branch is taken away."""
    rows: int = 1
    """New rows of the table that it stands in."""
    group: int = 0
    """Decisions of one table or list have the same number; zero stands alone."""

    @property
    def worked_out(self) -> bool:
        """Whether a number is held against something that is made of inputs."""
        number = isinstance(self.value, int | float)
        return number and bool(_WORKED_OUT.search(f"{self.subject} {self.evidence}"))

    @property
    def key(self) -> tuple[str, str, str]:
        """The same for the same decision elsewhere."""
        return (self.how, repr(self.value), self.subject)
