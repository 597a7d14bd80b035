import math


def scaled(values, digits=3):
    """Each value as a share of the range that all of them span."""
    if not values:
        return []
    low = min(values)
    spread = max(values) - low
    return [round(0.0 if spread == 0 else (value - low) / spread, digits) for value in values]


def entropy(values):
    return -sum(s * math.log(s) for s in scaled(values) if s > 0)
