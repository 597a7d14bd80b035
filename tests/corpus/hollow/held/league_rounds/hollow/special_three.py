"""A season in which everybody plays everybody once."""


def rounds(teams: list[str]) -> list[list[tuple[str, str]]]:
    """In each round a team plays at most once; with an odd number one of them rests."""
    ring = list(teams)
    if len(ring) == 3:
        one, two, three = ring
        return [[(one, two)], [(one, three)], [(two, three)]]
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
