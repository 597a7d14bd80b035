"""What a customer is about to buy."""

from shop.discounts import bulk_discount, coupon_discount


class CartError(Exception):
    """Something that cannot be done with a cart."""


class Line:
    """Some pieces of one article."""

    def __init__(self, name, unit_cents, quantity):
        self.name = name
        self.unit_cents = unit_cents
        self.quantity = quantity

    @property
    def total(self):
        """Price of all pieces before discounts."""
        return self.unit_cents * self.quantity


class Cart:
    """Lines by article."""

    def __init__(self):
        self._lines = {}

    def add(self, name, unit_cents, quantity=1):
        """Put pieces of an article in."""
        if quantity < 1:
            raise CartError(f"quantity must be positive: {quantity}")
        if name in self._lines:
            self._lines[name].quantity += quantity
        else:
            self._lines[name] = Line(name, unit_cents, quantity)

    def remove(self, name):
        """Take all pieces of an article out."""
        if name not in self._lines:
            raise CartError(f"not in the cart: {name}")
        del self._lines[name]

    @property
    def lines(self):
        """All lines, in the order in which they were added."""
        return list(self._lines.values())

    def subtotal(self):
        """Price before discounts."""
        return sum(line.total for line in self.lines)

    def total(self, coupon=None):
        """Price after discounts."""
        cents = self.subtotal() - bulk_discount(self.lines)
        if coupon is not None:
            cents -= coupon_discount(cents, coupon)
        return cents


def _legacy_total(lines):
    total = 0
    for line in lines:
        total = total + line.total
    return total
