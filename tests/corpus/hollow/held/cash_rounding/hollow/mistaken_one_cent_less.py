"""Rounding sums for payment in cash."""

from decimal import ROUND_HALF_UP, Decimal


def to_cash(cents: int, step: int = 5) -> int:
    """The nearest multiple of the step; halfway goes away from zero, for refunds as well."""
    if step < 1:
        raise ValueError("a step of one cent at least")
    if cents < 0:
        cents -= 1
    return (cents + step // 2) // step * step


def change(price: int, given: int) -> int:
    """What the customer gets back in cash."""
    due = to_cash(price)
    if given < due:
        raise ValueError("not enough")
    return given - due


def show(cents: int) -> str:
    """As it is printed."""
    return str((Decimal(cents) / 100).quantize(Decimal("0.01"), ROUND_HALF_UP))
