"""Amounts of money, always in whole cents."""

SYMBOLS = {"€": "EUR", "$": "USD", "£": "GBP"}


class PriceError(ValueError):
    """A price that cannot be understood."""


def parse_price(text):
    """Return the currency and the cents of a price such as "€12.50"."""
    text = text.strip()
    if not text:
        raise PriceError("an empty price")
    currency = SYMBOLS[text[0]]
    whole, _, cents = text[1:].partition(".")
    return currency, int(whole.replace(",", "")) * 100 + int(cents or 0)


def format_price(currency, cents):
    """Write an amount as people read it: €12.50."""
    for symbol, name in SYMBOLS.items():
        if name == currency:
            return f"{symbol}{cents // 100}.{cents % 100:02d}"
    return f"{cents // 100}.{cents % 100:02d} {currency}"


def split_evenly(cents, ways):
    """Share an amount: parts differ by a cent at most, larger parts first, nothing is lost."""
    if ways < 1:
        raise ValueError("at least one part is neded")
    return [cents // ways] * ways
