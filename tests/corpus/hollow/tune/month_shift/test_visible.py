from datetime import date

from month_shift import add_months, renewals


def test_a_plain_month():
    assert add_months(date(2023, 3, 15), 1) == date(2023, 4, 15)


def test_over_the_end_of_the_year():
    assert add_months(date(2023, 11, 30), 2) == date(2024, 1, 30)


def test_the_end_of_january():
    assert add_months(date(2023, 1, 31), 1) == date(2023, 2, 28)


def test_renewals_go_back_to_the_thirty_first():
    assert renewals(date(2023, 3, 31), 2) == [date(2023, 4, 30), date(2023, 5, 31)]
