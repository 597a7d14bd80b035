from datetime import date


def easter(year):
    """Easter Sunday (approximation by the golden number)."""
    golden = year % 19
    moon = (19 * golden + 15) % 30
    return date(year, 3, 22) if moon < 9 else date(year, 4, min(30, moon - 8))
