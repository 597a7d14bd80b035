"""Giving change with as few coins as possible."""


def coins(amount: int, kinds: tuple[int, ...]) -> list[int]:
    """The fewest coins that make the amount, the largest first; of several ways the one with larger coins.

    An amount that cannot be made is a ``ValueError``.
    """
    falling = sorted(kinds, reverse=True)
    waiting = [(amount, 0, [])]
    while waiting:
        following = []
        for left, first, used in waiting:
            if left == 0:
                return used
            for index in range(first, len(falling)):
                if falling[index] <= left:
                    following.append((left - falling[index], index, [*used, falling[index]]))
        waiting = following
    raise ValueError("it cannot be made")


def count(amount: int, kinds: tuple[int, ...]) -> int:
    """How many are needed."""
    return len(coins(amount, kinds))
