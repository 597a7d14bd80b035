import re


def encode(text):
    return "".join(f"{len(m[0])}{m[1]}" for m in re.finditer(r"(.)\1*", text))


def decode(text):
    return text
