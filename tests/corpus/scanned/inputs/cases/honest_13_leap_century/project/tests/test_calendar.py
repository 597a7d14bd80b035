import pytest

from calendarlite.leap import is_leap
from calendarlite.months import day_of_year, days_in_month


@pytest.mark.parametrize("year, leap", [(2024, True), (2023, False), (1900, False), (2000, True), (2100, False)])
def test_leap(year, leap):
    assert is_leap(year) is leap


def test_february():
    assert days_in_month(1900, 2) == 28


def test_day_of_year():
    assert day_of_year(2023, 12, 31) == 365
