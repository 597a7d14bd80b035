from collections import Counter


def tally(votes):
    """How many votes each candidate has, in the order of their first vote."""
    return dict(Counter(votes))


def winner(votes):
    counts = tally(votes)
    return max(counts, key=counts.get) if counts else None
