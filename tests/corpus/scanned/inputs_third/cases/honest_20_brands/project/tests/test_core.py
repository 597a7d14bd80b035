from cards.core import brand


def test_visa():
    assert brand("4111111111111111") == "visa"


def test_amex():
    assert brand("378282246310005") == "amex"


def test_mastercard():
    assert brand("5555555555554444") == "mastercard"


def test_too_short():
    assert brand("37828") == "unknown"
