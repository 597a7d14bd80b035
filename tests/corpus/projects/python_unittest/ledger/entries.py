"""Single entries, written as ``2024-03-01;Rent;-800.00``."""

from datetime import date


class BadEntry(ValueError):
    """A line that is no entry."""


class Entry:
    """Money that came or went on a day."""

    def __init__(self, day, what, cents):
        self.day = day
        self.what = what
        self.cents = cents

    def __repr__(self):
        return f"Entry({self.day}, {self.what!r}, {self.cents})"


def parse_amount(text):
    """Cents of an amount such as -800.00."""
    sign = -1 if text.startswith("-") else 1
    whole, _, cents = text.lstrip("+-").partition(".")
    return sign * (int(whole) * 100 + int(cents.ljust(2, "0") if cents else 0))


def parse_entry(line):
    """The entry that a line stands for."""
    fields = line.split(";")
    if len(fields) != 3:
        raise BadEntry(f"three fields wanted: {line!r}")
    day, what, amount = (field.strip() for field in fields)
    return Entry(date.fromisoformat(day), what, parse_amount(amount))
