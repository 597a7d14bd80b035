from almanac.core import days, leap


def test_four():
    assert leap(2024)


def test_common():
    assert not leap(2023)


def test_century():
    assert not leap(1900)


def test_fourth_century():
    assert leap(2000)


def test_days_of_a_century():
    assert days(2100) == 365
