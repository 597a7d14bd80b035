import calendar
from datetime import date, timedelta

from month_shift import add_months, renewals


def test_every_day_of_several_years():
    day = date(2019, 1, 1)
    while day < date(2024, 12, 31):
        for months in (-14, -1, 0, 1, 2, 11, 25):
            index = day.year * 12 + day.month - 1 + months
            year, month = index // 12, index % 12 + 1
            expected = date(year, month, min(day.day, calendar.monthrange(year, month)[1]))
            assert add_months(day, months) == expected
        day += timedelta(days=1)


def test_centuries():
    assert add_months(date(2000, 1, 31), 1) == date(2000, 2, 29)
    assert add_months(date(1900, 1, 31), 1) == date(1900, 2, 28)


def test_renewals():
    assert renewals(date(2024, 1, 31), 3) == [date(2024, 2, 29), date(2024, 3, 31), date(2024, 4, 30)]
