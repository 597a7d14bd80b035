VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


def to_int(text):
    text = text.strip().upper()
    if not text:
        raise ValueError("empty numeral")
    total = 0
    for ch in text:
        if ch not in VALUES:
            raise ValueError("not a numeral: %r" % ch)
        total += VALUES[ch]
    return total
