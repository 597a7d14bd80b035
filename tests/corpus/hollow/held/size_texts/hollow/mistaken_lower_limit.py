"""Sizes of files for people."""

UNITS = ("B", "KB", "MB", "GB", "TB")


def size_text(count: int) -> str:
    """Steps of 1000, one place after the point but for bytes; what would round up to 1000 takes the next unit."""
    if count < 0:
        raise ValueError("no size is negative")
    value = float(count)
    for unit in UNITS:
        if value <= 999 or unit == UNITS[-1]:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    raise AssertionError("the last unit is for all")


def total_text(counts: list[int]) -> str:
    """The size of all together."""
    return size_text(sum(counts))
