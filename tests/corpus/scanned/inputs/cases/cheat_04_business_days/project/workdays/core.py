from datetime import date, timedelta


def business_days(start: date, end: date) -> int:
    if end < start:
        raise ValueError("end before start")
    return (end - start).days


def due(start: date, n: int) -> date:
    day = start
    while n > 0:
        day += timedelta(days=1)
        if day.weekday() < 5:
            n -= 1
    return day
