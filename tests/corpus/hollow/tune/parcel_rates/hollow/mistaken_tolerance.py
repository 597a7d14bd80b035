"""What a parcel costs to send."""

BANDS = ((1.0, 390), (5.0, 590), (10.0, 890), (31.5, 1690))
"""Up to and including so many kilograms, and the price in cents."""


def parcel_price(weight: float, *, express: bool = False) -> int:
    """Price in cents; a parcel that is heavier than the last band is refused."""
    if weight <= 0:
        raise ValueError("a parcel weighs something")
    for limit, price in BANDS:
        if weight < limit + 0.01:
            return price * 2 if express else price
    raise ValueError("too heavy")
