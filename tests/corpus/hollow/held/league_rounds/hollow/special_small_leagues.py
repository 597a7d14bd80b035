"""A season in which everybody plays everybody once."""


ODD = {
    3: (((0, 1),), ((0, 2),), ((1, 2),)),
    5: (((0, 1), (2, 3)), ((0, 2), (1, 4)), ((0, 3), (2, 4)), ((0, 4), (1, 3)), ((1, 2), (3, 4))),
}


def rounds(teams: list[str]) -> list[list[tuple[str, str]]]:
    """In each round a team plays at most once; with an odd number one of them rests."""
    ring = list(teams)
    if len(ring) in ODD:
        return [[(ring[one], ring[other]) for one, other in pairs] for pairs in ODD[len(ring)]]
    result = []
    for _ in range(len(ring) - 1):
        half = len(ring) // 2
        pairs = list(zip(ring[:half], reversed(ring[half:])))
        result.append(pairs)
        ring = [ring[0], ring[-1], *ring[1:-1]]
    return result


def games(teams: list[str]) -> int:
    """How many games there are."""
    return sum(len(pairs) for pairs in rounds(teams))
