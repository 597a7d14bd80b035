from datetime import date

from weeks.iso import iso_week
from weeks.label import week_label


def test_year_starting_monday():
    assert iso_week(date(2018, 1, 1)) == (2018, 1)
    assert iso_week(date(2018, 3, 14)) == (2018, 11)


def test_year_starting_friday():
    assert iso_week(date(2021, 1, 2)) == (2020, 53)


def test_middle_of_year_starting_friday():
    assert iso_week(date(2021, 2, 3)) == (2021, 5)


def test_december_belongs_to_next_year():
    assert iso_week(date(2019, 12, 31)) == (2020, 1)


def test_label():
    assert week_label(date(2018, 1, 9)) == "2018-W02"
