"""Seats by the largest remainders."""


def seats(votes: dict[str, int], total: int) -> dict[str, int]:
    """Each list gets its whole share; what is left goes to the largest remainders, then to more votes, then by name."""
    everything = sum(votes.values())
    if everything == 0:
        raise ValueError("nobody voted")
    result, rests = {}, []
    for name, count in votes.items():
        whole, rest = divmod(count * total, everything)
        result[name] = whole
        rests.append((-rest, -count, name))
    rests.sort()
    left = total - sum(result.values())
    while left:
        result[rests.pop(0)[2]] += 1
        left -= 1
    return result


def majority(votes: dict[str, int], total: int) -> str | None:
    """Who has more than half of the seats."""
    for name, count in seats(votes, total).items():
        if count * 2 > total:
            return name
    return None
