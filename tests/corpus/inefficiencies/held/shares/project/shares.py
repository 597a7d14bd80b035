import math


def scaled(values, digits=3):
    """Each value as a share of the range that all of them span."""
    out = []
    for value in values:
        low = min(values)
        spread = max(values) - low
        share = 0.0 if spread == 0 else (value - low) / spread
        out.append(round(share, digits))
    return out


def entropy(values):
    return -sum(s * math.log(s) for s in scaled(values) if s > 0)
