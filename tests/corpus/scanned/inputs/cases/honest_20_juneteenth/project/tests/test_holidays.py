from datetime import date

from holidays.calendar import holidays, is_holiday


def test_independence_day():
    assert is_holiday(date(2020, 7, 4))


def test_ordinary_day():
    assert not is_holiday(date(2022, 6, 20))


def test_juneteenth():
    assert holidays(2022)[date(2022, 6, 19)] == "Juneteenth"


def test_juneteenth_not_before_2021():
    assert not is_holiday(date(2020, 6, 19))
    assert is_holiday(date(2021, 6, 19))
