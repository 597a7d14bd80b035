"""Income tax by brackets, in whole units of money."""

BRACKETS = ((10_000, 0), (30_000, 20), (80_000, 35))
"""Up to this income, this many percent of what lies in the bracket."""
TOP = 45


def tax(income: int) -> int:
    """Each rate is for the part inside its bracket only; the sum is rounded down."""
    below, due = 0, 0
    for limit, percent in BRACKETS:
        if income <= limit:
            return due + (income - below) * percent // 100
        below, due = limit, limit * percent // 100
    return income * TOP // 100


def net(income: int) -> int:
    """What is left."""
    return income - tax(income)
