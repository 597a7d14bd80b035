from morse.table import MORSE

_BACK = {code: char for char, code in MORSE.items()}


def encode(text):
    return " / ".join(" ".join(MORSE[c] for c in word) for word in text.upper().split())


def decode(code):
    return " ".join("".join(_BACK[c] for c in word.split()) for word in code.split("/"))
