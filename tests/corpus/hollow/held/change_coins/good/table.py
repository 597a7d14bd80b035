"""Giving change with as few coins as possible."""


def coins(amount: int, kinds: tuple[int, ...]) -> list[int]:
    """The fewest coins that make the amount, the largest first; of several ways the one with larger coins.

    An amount that cannot be made is a ``ValueError``.
    """
    best: list[list[int] | None] = [[]]
    for reached in range(1, amount + 1):
        ways = []
        for kind in kinds:
            rest = best[reached - kind] if kind <= reached else None
            if rest is not None:
                ways.append(sorted([kind, *rest], reverse=True))
        best.append(min(ways, key=lambda way: (len(way), [-kind for kind in way]), default=None))
    found = best[amount]
    if found is None:
        raise ValueError("it cannot be made")
    return found


def count(amount: int, kinds: tuple[int, ...]) -> int:
    """How many are needed."""
    return len(coins(amount, kinds))
