"""Times of day as people write them."""

from datetime import datetime

FORMATS = ("%H:%M", "%H", "%I:%M %p", "%I %p")


def minutes(text: str) -> int:
    """Minutes since midnight of ``7``, ``7:30``, ``19:30``, ``7 pm``; twelve is noon at pm and midnight at am."""
    for form in FORMATS:
        try:
            found = datetime.strptime(text.strip(), form)
        except ValueError:
            continue
        return found.hour * 60 + found.minute
    raise ValueError(f"not a time: {text!r}")


def earlier(one: str, other: str) -> bool:
    """Whether the first comes before the second on the same day."""
    return minutes(one) < minutes(other)
