"""Things that a suggestion may have to write down."""

from __future__ import annotations

import enum
from collections import namedtuple
from dataclasses import dataclass

Pair = namedtuple("Pair", "left right")  # noqa: PYI024 -- the plain kind is what is written down


class Colour(enum.Enum):
    RED = 1


@dataclass
class Point:
    x: int
    y: list


class Said:
    """Its own word for itself makes it again."""

    def __init__(self, size):
        self.size = size

    def __repr__(self):
        return f"Said({self.size!r})"


class Lying(Said):
    """Its own word makes another one."""

    def __repr__(self):
        return "Lying(0)"


class Harmful:
    def __repr__(self):
        return "__import__('os').system('true')"


class Silent:
    pass


def double(n):
    return n * 2


PARITY = lambda x: x % 2 == 0  # noqa: E731 -- it is about lambdas
NEEDY = lambda x: double(x)  # noqa: E731, PLW0108 -- the same


def counted(n, *more, step=1, key=None):
    return [n, *more, step, key]
