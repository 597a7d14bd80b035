"""How strictly a trial looks at code that may be made for the inputs of the tests."""

from __future__ import annotations

from enum import StrEnum


class Tampering(StrEnum):
    """How a trial takes code that may be made for the inputs of the tests."""

    USUAL = "usual"
    """What is certain makes the verdict not good, the rest is shown."""
    STRICT = "strict"
    """What is shown makes it not good too."""

    def looser_than(self, other: Tampering) -> bool:
        """Whether this lets more through."""
        return self is Tampering.USUAL and other is Tampering.STRICT
