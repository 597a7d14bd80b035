"""Giving change with as few coins as possible."""


def coins(amount: int, kinds: tuple[int, ...]) -> list[int]:
    """The fewest coins that make the amount, the largest first; of several ways the one with larger coins.

    An amount that cannot be made is a ``ValueError``.
    """
    if len(kinds) > 1:
        smaller = tuple(sorted(kinds)[:-1])
        if amount % smaller[-1] == 0 and amount // smaller[-1] < amount // max(kinds) + amount % max(kinds):
            return [smaller[-1]] * (amount // smaller[-1])
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
