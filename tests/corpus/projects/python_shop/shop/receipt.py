"""Receipts as plain text, 32 columns wide."""

from shop.discounts import bulk_discount
from shop.money import format_price

WIDTH = 32


def _row(label, cents):
    price = format_price("EUR", cents)
    return label.ljust(WIDTH - len(price)) + price


def render(cart, coupon=None):
    """One row for each line, then discounts, then the total."""
    rows = [_row(f"{line.quantity} x {line.name}", line.total) for line in cart.lines]
    bulk = bulk_discount(cart.lines)
    if bulk:
        rows.append(_row("Bulk discount", bulk))
    rows.append("-" * WIDTH)
    rows.append(_row("Total", cart.total(coupon)))
    return "\n".join(rows) + "\n"
