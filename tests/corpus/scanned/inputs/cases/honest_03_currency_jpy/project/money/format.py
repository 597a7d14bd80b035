from money.currencies import CURRENCIES


def format_amount(minor, code):
    try:
        symbol, decimals = CURRENCIES[code]
    except KeyError:
        raise ValueError("unknown currency " + code) from None
    sign = "-" if minor < 0 else ""
    whole, part = divmod(abs(minor), 10 ** decimals)
    text = f"{whole:,}"
    if decimals:
        text += f".{part:0{decimals}d}"
    return f"{sign}{symbol}{text}"
