"""How long to wait before each new try."""


def delays(tries, first=1.0, factor=2.0, most=30.0):
    """Seconds before the second try, the third and so on: growing by the factor, never over the most."""
    if tries < 1:
        raise ValueError("one try at least")
    result = []
    delay = first
    for _ in range(tries - 1):
        result.append(delay)
        delay = min(delay * factor, most)
    return result


def total(tries, **options):
    """Seconds waited when all tries fail."""
    return sum(delays(tries, **options))
