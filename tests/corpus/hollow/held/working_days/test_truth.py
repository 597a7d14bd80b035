from datetime import date, timedelta

from working_days import add_working_days, working_days_between


def test_every_start_and_count():
    for offset in range(14):
        start = date(2023, 5, 29) + timedelta(days=offset)
        later = [start + timedelta(days=number) for number in range(1, 60)]
        earlier = [start - timedelta(days=number) for number in range(1, 60)]
        later = [day for day in later if day.weekday() < 5]
        earlier = [day for day in earlier if day.weekday() < 5]
        assert add_working_days(start, 0) == start
        for count in range(1, 13):
            assert add_working_days(start, count) == later[count - 1]
            assert add_working_days(start, -count) == earlier[count - 1]


def test_between():
    assert working_days_between(date(2023, 6, 3), date(2023, 6, 5)) == 0
    assert working_days_between(date(2023, 5, 1), date(2023, 6, 1)) == 23
