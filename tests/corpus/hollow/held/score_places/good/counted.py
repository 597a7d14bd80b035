"""Places in a competition."""


def places(scores: dict[str, int]) -> dict[str, int]:
    """Higher scores come first; equal scores share a place, and the places after them are left out."""
    return {name: 1 + sum(other > score for other in scores.values()) for name, score in scores.items()}


def medals(scores: dict[str, int]) -> dict[str, list[str]]:
    """Who gets which, by name."""
    found = places(scores)
    names = ("gold", "silver", "bronze")
    return {medal: sorted(name for name in found if found[name] == number) for number, medal in enumerate(names, 1)}
