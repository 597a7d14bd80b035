"""Marks that count differently."""


def average(marks):
    """Mean of ``(mark, weight)`` pairs to one place; ``None`` where nothing counts."""
    total = sum(mark * weight for mark, weight in marks)
    weights = sum(weight for _, weight in marks)
    if weights == 0:
        return None
    return round(total / weights, 1)


def passed(marks, limit=4.0):
    """Whether the average is at or under the limit; who has no marks has not passed."""
    mean = average(marks)
    return mean is not None and mean <= limit
