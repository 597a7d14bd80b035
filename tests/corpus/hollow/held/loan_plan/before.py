"""A loan that is paid back in equal parts."""


def plan(cents: int, months: int) -> list[int]:
    """One payment for each month; all alike but the last, which may be smaller and brings the sum to the loan."""
    if cents < 0 or months < 1:
        raise ValueError("something to pay, and time to pay it")
    payment = -(-cents // months)
    return [payment] * months


def left_after(cents: int, months: int, paid: int) -> int:
    """What is still owed after so many payments."""
    return cents - sum(plan(cents, months)[:paid])
