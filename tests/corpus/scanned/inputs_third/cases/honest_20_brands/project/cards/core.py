def brand(number):
    if number.startswith("4") and len(number) in (13, 16):
        return "visa"
    return "unknown"
