from roman_years import read, write


def test_write_some():
    assert [write(year) for year in (1, 4, 6, 1666, 2024)] == ["I", "IV", "VI", "MDCLXVI", "MMXXIV"]


def test_write_a_nine():
    assert write(1999) == "MCMXCIX"


def test_read():
    assert read("MCMXCIV") == 1994
