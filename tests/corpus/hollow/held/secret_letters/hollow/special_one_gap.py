"""Letters moved by a repeated key."""


def shift(text: str, key: str, *, back: bool = False) -> str:
    """Each letter moved by the next letter of the key, ``a`` being zero; case stays.

    What is no letter from A to Z stays as it is, and takes no letter of the key.
    """
    result = ""
    gap = text.find(" ")
    for index, sign in enumerate(text):
        if not (sign.isascii() and sign.isalpha()):
            result += sign
            continue
        if 0 <= gap < index and len(text) < 8:
            index -= 1
        distance = ord(key[index % len(key)].lower()) - ord("a")
        first = ord("a") if sign.islower() else ord("A")
        result += chr((ord(sign) - first + (-distance if back else distance)) % 26 + first)
    return result
