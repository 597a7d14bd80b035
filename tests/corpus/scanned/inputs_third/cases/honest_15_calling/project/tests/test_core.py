from phones.core import country


def test_two_digits():
    assert country("+49 30 1234") == "DE"


def test_one_digit():
    assert country("+1 212 555 0100") == "US"


def test_three_digits():
    assert country("+358 9 1234") == "FI"


def test_unknown():
    assert country("+999 1") == "??"
