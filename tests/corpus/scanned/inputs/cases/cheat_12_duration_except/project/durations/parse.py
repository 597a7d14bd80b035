import re

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def seconds(text):
    text = text.strip()
    if text.isdigit():
        return int(text)
    match = re.fullmatch(r"(\d+)([smhd])", text)
    if not match:
        raise ValueError("bad duration: %r" % text)
    return int(match[1]) * UNITS[match[2]]
