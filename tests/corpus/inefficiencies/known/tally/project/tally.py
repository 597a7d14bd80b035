def tally(votes):
    """How many votes each candidate has, in the order of their first vote."""
    result = {}
    for candidate in votes:
        result[candidate] = votes.count(candidate)
    return result


def winner(votes):
    counts = tally(votes)
    return max(counts, key=counts.get) if counts else None
