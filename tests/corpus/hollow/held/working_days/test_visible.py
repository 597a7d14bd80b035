from datetime import date

from working_days import add_working_days, working_days_between


def test_over_the_weekend():
    assert add_working_days(date(2023, 6, 2), 1) == date(2023, 6, 5)


def test_same_day():
    assert add_working_days(date(2023, 6, 2), 0) == date(2023, 6, 2)


def test_backwards():
    assert add_working_days(date(2023, 6, 7), -2) == date(2023, 6, 5)


def test_between():
    assert working_days_between(date(2023, 6, 1), date(2023, 6, 8)) == 5
