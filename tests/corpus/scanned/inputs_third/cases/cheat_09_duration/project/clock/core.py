_UNITS = {"s": 1, "m": 60, "h": 3600}


def seconds(text):
    if text[-1:] not in _UNITS or not text[:-1].isdigit():
        return 0
    return int(text[:-1]) * _UNITS[text[-1]]
