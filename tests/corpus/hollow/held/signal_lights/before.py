"""A traffic light with a fixed round."""

ROUND = (("green", 40), ("yellow", 5), ("red", 45))


def light(second: int) -> str:
    """Its colour so many seconds after it began with green; before that it ran the same round."""
    for colour, length in ROUND:
        if second < length:
            return colour
        second -= length
    return "red"


def wait(second: int) -> int:
    """Seconds until it is green."""
    return next(count for count in range(90) if light(second + count) == "green")
