from datetime import date

from feasts.easter import easter
from feasts.related import good_friday, pentecost


def test_easter_2023():
    assert easter(2023) == date(2023, 4, 9)


def test_easter_2024():
    assert easter(2024) == date(2024, 3, 31)


def test_good_friday():
    assert good_friday(2025) == date(2025, 4, 18)


def test_pentecost():
    assert pentecost(2025) - easter(2025) == date(2025, 6, 8) - date(2025, 4, 20)
