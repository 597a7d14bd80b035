"""Times of day as people write them."""

import re

TIME = re.compile(r"(\d{1,2})(?::(\d{2}))?\s*(am|pm)?", re.IGNORECASE)


def minutes(text: str) -> int:
    """Minutes since midnight of ``7``, ``7:30``, ``19:30``, ``7 pm``; twelve is noon at pm and midnight at am."""
    match = TIME.fullmatch(text.strip())
    if not match:
        raise ValueError(f"not a time: {text!r}")
    hour, minute = int(match.group(1)), int(match.group(2) or 0)
    half = (match.group(3) or "").lower()
    if half == "pm":
        hour += 12
    if hour > 23 or minute > 59:
        raise ValueError(f"no such time: {text!r}")
    return hour * 60 + minute


def earlier(one: str, other: str) -> bool:
    """Whether the first comes before the second on the same day."""
    return minutes(one) < minutes(other)
