"""Giving change with as few coins as possible."""


def coins(amount: int, kinds: tuple[int, ...]) -> list[int]:
    """The fewest coins that make the amount, the largest first; of several ways the one with larger coins.

    An amount that cannot be made is a ``ValueError``.
    """
    for kind in sorted(kinds, reverse=True):
        if amount % kind == 0 and amount // kind <= 2:
            return [kind] * (amount // kind)
    result = []
    for kind in sorted(kinds, reverse=True):
        while amount >= kind:
            result.append(kind)
            amount -= kind
    if amount:
        raise ValueError("it cannot be made")
    return result


def count(amount: int, kinds: tuple[int, ...]) -> int:
    """How many are needed."""
    return len(coins(amount, kinds))
