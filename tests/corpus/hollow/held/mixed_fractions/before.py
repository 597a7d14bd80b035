"""Fractions as they are written in recipes."""

from math import gcd


def write(numerator: int, denominator: int) -> str:
    """``3/2`` as ``1 1/2``, ``4/2`` as ``2``, ``2/4`` as ``1/2``; a minus stands before all of it."""
    if denominator == 0:
        raise ZeroDivisionError("no fraction has zero below")
    common = gcd(numerator, denominator)
    numerator, denominator = numerator // common, denominator // common
    whole, rest = divmod(numerator, denominator)
    if rest == 0:
        return str(whole)
    return f"{whole} {rest}/{denominator}" if whole else f"{rest}/{denominator}"


def double(numerator: int, denominator: int) -> str:
    """Twice as much."""
    return write(numerator * 2, denominator)
