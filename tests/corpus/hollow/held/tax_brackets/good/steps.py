"""Income tax by brackets, in whole units of money."""

BRACKETS = ((10_000, 0), (30_000, 20), (80_000, 35))
"""Up to this income, this many percent of what lies in the bracket."""
TOP = 45


def tax(income: int) -> int:
    """Each rate is for the part inside its bracket only; the sum is rounded down."""
    hundredths = 0
    rest = income
    for (limit, _), percent in zip(reversed(BRACKETS), (TOP, 35, 20)):
        if rest > limit:
            hundredths += (rest - limit) * percent
            rest = limit
    return hundredths // 100


def net(income: int) -> int:
    """What is left."""
    return income - tax(income)
