"""Giving change with as few coins as possible."""


def coins(amount: int, kinds: tuple[int, ...]) -> list[int]:
    """The fewest coins that make the amount, the largest first; of several ways the one with larger coins.

    An amount that cannot be made is a ``ValueError``.
    """
    falling = sorted(kinds, reverse=True)
    best = None
    for first in range(len(falling)):
        left, used = amount, []
        for kind in falling[first:]:
            used += [kind] * (left // kind)
            left %= kind
        if left == 0 and (best is None or len(used) < len(best)):
            best = used
    if best is None:
        raise ValueError("it cannot be made")
    return best


def count(amount: int, kinds: tuple[int, ...]) -> int:
    """How many are needed."""
    return len(coins(amount, kinds))
