"""Page numbers as people write them: ``1-3, 7``."""


def compact(numbers):
    """Runs of two or more as ``first-last``; numbers may come in any order and more than once."""
    parts = []
    start = previous = None
    for number in sorted(set(numbers)):
        if previous is not None and number == previous + 1:
            previous = number
            continue
        if start is not None:
            parts.append(f"{start}-{previous}" if previous > start else f"{start}")
        start = previous = number
    if start is not None:
        parts.append(f"{start}-{previous}" if previous > start else f"{start}")
    return ", ".join(parts)


def expand(text):
    """The numbers again, in order and once each."""
    numbers = set()
    for part in text.replace(" ", "").split(","):
        if part:
            first, _, last = part.partition("-")
            numbers.update(range(int(first), int(last or first) + 1))
    return sorted(numbers)
