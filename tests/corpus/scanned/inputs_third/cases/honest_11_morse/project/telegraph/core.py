_SIGNS = {"s": "...", "o": "---", "e": ".", "t": "-"}


def morse(text):
    return " ".join(_SIGNS[sign] for sign in text.lower() if sign in _SIGNS)
