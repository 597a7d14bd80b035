import pytest

from shop.money import PriceError, format_price, parse_price, split_evenly


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("€12.50", ("EUR", 1250)),
        ("$3", ("USD", 300)),
        (" £1,234.05 ", ("GBP", 123405)),
    ],
)
def test_prices_are_read(text, expected):
    assert parse_price(text) == expected


def test_an_empty_price_is_an_error():
    with pytest.raises(PriceError):
        parse_price("  ")


def test_an_unknown_currency_is_an_error():
    with pytest.raises(PriceError, match="unknown currency"):
        parse_price("¤5.00")


def test_prices_are_written():
    assert format_price("EUR", 1205) == "€12.05"
    assert format_price("CHF", 99) == "0.99 CHF"


@pytest.mark.parametrize(
    ("cents", "ways", "expected"),
    [
        (100, 3, [34, 33, 33]),
        (10, 4, [3, 3, 2, 2]),
        (9, 3, [3, 3, 3]),
        (0, 2, [0, 0]),
    ],
)
def test_splitting_loses_nothing(cents, ways, expected):
    parts = split_evenly(cents, ways)

    assert parts == expected


def test_splitting_needs_a_part():
    with pytest.raises(ValueError):
        split_evenly(100, 0)
