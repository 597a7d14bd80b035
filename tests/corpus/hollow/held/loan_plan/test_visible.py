import pytest
from loan_plan import left_after, plan


def test_even():
    assert plan(1200, 12) == [100] * 12


def test_last_payment_is_smaller():
    assert plan(1000, 3) == [334, 334, 332]


def test_no_time():
    with pytest.raises(ValueError):
        plan(100, 0)


def test_nothing_to_pay():
    assert plan(0, 2) == [0, 0]


def test_left_after_all():
    assert left_after(1000, 3, 3) == 0


def test_left_after_one():
    assert left_after(1200, 12, 1) == 1100


def test_one_month():
    assert plan(999, 1) == [999]


def test_two_months():
    assert plan(101, 2) == [51, 50]
