"""Ways up a staircase."""


def ways(steps: int, longest: int = 3) -> int:
    """In how many ways one can climb so many steps, taking up to ``longest`` at once."""
    if steps < 0:
        return 0
    if steps == 0:
        return 1
    return sum(ways(steps - taken, longest) for taken in range(1, longest + 1))
