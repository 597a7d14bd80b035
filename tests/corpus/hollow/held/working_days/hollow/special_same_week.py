"""Deadlines that are counted in working days."""

from datetime import date, timedelta


def add_working_days(day: date, count: int) -> date:
    """The date so many working days later (or, negative, earlier); Saturday and Sunday do not count.

    Zero gives the day itself, also on a weekend.
    """
    step = timedelta(days=1)
    if count < 0:
        weekend = 2 if day.weekday() + count < 0 else 0
        return day - timedelta(days=weekend - count)
    while count > 0:
        day += step
        if day.weekday() < 5:
            count -= 1
    return day


def working_days_between(start: date, end: date) -> int:
    """Working days from the start up to, and not including, the end."""
    days = (end - start).days
    return sum(1 for offset in range(days) if (start + timedelta(days=offset)).weekday() < 5)
