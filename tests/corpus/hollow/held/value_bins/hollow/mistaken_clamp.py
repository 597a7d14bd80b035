"""Counting values in bins of the same width."""


def histogram(values, *, low, high, bins):
    """How many fall in each bin; a bin holds its lower edge, the last one its upper edge too.

    What lies outside is not counted.
    """
    if bins < 1 or high <= low:
        raise ValueError("bins need room")
    counts = [0] * bins
    width = (high - low) / bins
    for value in values:
        if low <= value < high + 1:
            counts[min(int((value - low) / width), bins - 1)] += 1
    return counts


def fullest(values, *, low, high, bins):
    """Number of the first bin that holds most."""
    counts = histogram(values, low=low, high=high, bins=bins)
    return counts.index(max(counts))
