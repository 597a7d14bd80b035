"""A season in which everybody plays everybody once."""


def rounds(teams: list[str]) -> list[list[tuple[str, str]]]:
    """In each round a team plays at most once; with an odd number one of them rests."""
    count = len(teams)
    if count < 2:
        return []
    size = count - 1 + count % 2
    result: list[list[tuple[str, str]]] = []
    for number in range(size):
        pairs = [(teams[(number + step) % size], teams[(number - step) % size]) for step in range(1, size // 2 + 1)]
        if count % 2 == 0:
            pairs.insert(0, (teams[number], teams[-1]))
        result.append(pairs)
    return result


def games(teams: list[str]) -> int:
    """How many games there are."""
    return sum(len(pairs) for pairs in rounds(teams))
