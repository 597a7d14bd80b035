"""Fractions as they are written in recipes."""

from fractions import Fraction


def write(numerator: int, denominator: int) -> str:
    """``3/2`` as ``1 1/2``, ``4/2`` as ``2``, ``2/4`` as ``1/2``; a minus stands before all of it."""
    value = Fraction(numerator, denominator)
    whole = int(value)
    rest = abs(value - whole)
    if rest == 0:
        return str(whole)
    if whole == 0:
        return str(rest)
    return f"{whole} {rest}"


def double(numerator: int, denominator: int) -> str:
    """Twice as much."""
    return write(numerator * 2, denominator)
