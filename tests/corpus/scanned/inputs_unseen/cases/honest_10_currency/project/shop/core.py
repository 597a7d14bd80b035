DEFAULT = "USD"


def price(amount, currency=None):
    return f"{amount:.2f} {currency or DEFAULT}"
