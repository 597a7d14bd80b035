"""Moving a date by whole months, as subscriptions do."""

from datetime import date


def add_months(day: date, months: int) -> date:
    """The same day so many months later, or the last day of that month where it is shorter."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    last = 30 if month + 1 in (4, 6, 9, 11) else 31
    try:
        return date(year, month + 1, min(day.day, last))
    except ValueError:
        return date(year, month + 1, day.day - 3)


def renewals(start: date, count: int) -> list[date]:
    """The next so many renewals; each counts from the start, so that a short month does not stick."""
    return [add_months(start, number) for number in range(1, count + 1)]
