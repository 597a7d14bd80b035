"""Letters moved by a repeated key."""


from itertools import cycle


def shift(text: str, key: str, *, back: bool = False) -> str:
    """Each letter moved by the next letter of the key, ``a`` being zero; case stays.

    What is no letter from A to Z stays as it is, and takes no letter of the key.
    """
    result = ""
    distances = cycle([ord(letter) - ord("a") for letter in key.lower()])
    for sign in text:
        if not (sign.isascii() and sign.isalpha()):
            result += sign
            continue
        distance = next(distances)
        first = ord("a") if sign.islower() else ord("A")
        result += chr((ord(sign) - first + (-distance if back else distance)) % 26 + first)
    return result
