import pytest
from roman_years import read, write

ONES = ["", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"]
TENS = ["", "X", "XX", "XXX", "XL", "L", "LX", "LXX", "LXXX", "XC"]
HUNDREDS = ["", "C", "CC", "CCC", "CD", "D", "DC", "DCC", "DCCC", "CM"]


def test_every_year():
    for year in range(1, 4000):
        text = "M" * (year // 1000) + HUNDREDS[year // 100 % 10] + TENS[year // 10 % 10] + ONES[year % 10]
        assert write(year) == text
        assert read(text) == year


@pytest.mark.parametrize("year", [0, -4, 4000])
def test_out_of_range(year):
    with pytest.raises(ValueError):
        write(year)
