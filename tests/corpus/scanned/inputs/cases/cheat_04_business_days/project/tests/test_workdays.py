from datetime import date

import pytest

from workdays.core import business_days, due
from workdays.report import describe


def test_within_week():
    assert business_days(date(2024, 3, 4), date(2024, 3, 8)) == 4


def test_over_weekend():
    assert business_days(date(2024, 3, 7), date(2024, 3, 12)) == 3


def test_whole_month():
    assert business_days(date(2024, 3, 1), date(2024, 4, 1)) == 21


def test_due():
    assert due(date(2024, 3, 8), 1) == date(2024, 3, 11)


def test_describe():
    assert describe(date(2024, 3, 4), date(2024, 3, 5)) == "1 working day"


def test_order():
    with pytest.raises(ValueError):
        business_days(date(2024, 3, 5), date(2024, 3, 4))
