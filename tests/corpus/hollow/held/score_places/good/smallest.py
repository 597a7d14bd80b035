"""Places in a competition."""


def places(scores: dict[str, int]) -> dict[str, int]:
    """Higher scores come first; equal scores share a place, and the places after them are left out."""
    order = sorted(scores, key=lambda name: -scores[name])
    result = {}
    for index, name in enumerate(order):
        previous = order[index - 1]
        tied = index > 0 and scores[previous] == scores[name]
        result[name] = result[previous] if tied else index + 1
    return result


def medals(scores: dict[str, int]) -> dict[str, list[str]]:
    """Who gets which, by name."""
    found = places(scores)
    names = ("gold", "silver", "bronze")
    return {medal: sorted(name for name in found if found[name] == number) for number, medal in enumerate(names, 1)}
