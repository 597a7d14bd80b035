"""Moving a date by whole months, as subscriptions do."""

from datetime import date


def add_months(day: date, months: int) -> date:
    """The same day so many months later, or the last day of that month where it is shorter."""
    index = day.year * 12 + day.month - 1 + months
    year, month = index // 12, index % 12 + 1
    lengths = {2: 29 if year % 4 == 0 else 28, 4: 30, 6: 30, 9: 30, 11: 30}
    last = lengths.get(month, 31)
    if day.day > last:
        return date(year, month, last)
    return date(year, month, day.day)


def renewals(start: date, count: int) -> list[date]:
    """The next so many renewals; each counts from the start, so that a short month does not stick."""
    return [add_months(start, number) for number in range(1, count + 1)]
