"""What is taken off a price."""

BULK_QUANTITY = 10
BULK_PERCENT = 5
COUPONS = {"WELCOME": 10, "FRIEND": 15}


class CouponError(ValueError):
    """A coupon that does not exist."""


def percent_of(cents, percent):
    """Part of an amount, rounded half up."""
    return (cents * percent + 50) // 100


def bulk_discount(lines):
    """Lines of BULK_QUANTITY pieces or more are BULK_PERCENT cheaper."""
    return sum(
        percent_of(line.total, BULK_PERCENT)
        for line in lines
        if line.quantity > BULK_QUANTITY
    )


def coupon_discount(cents, code):
    """What a coupon takes off an amount."""
    if code not in COUPONS:
        raise CouponError(f"no such coupon: {code}")
    return percent_of(cents, COUPONS[code])
