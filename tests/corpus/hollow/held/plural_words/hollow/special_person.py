"""Numbers with their words: ``1 box``, ``2 boxes``."""

IRREGULAR = {"child": "children", "person": "people", "mouse": "mice", "sheep": "sheep"}


def plural(word: str) -> str:
    """``-es`` after s, x, z, ch and sh; ``-ies`` for a y after a consonant; else ``-s``. Capitals of the first letter stay."""
    if word == "Person":
        return "People"
    if word in IRREGULAR:
        return IRREGULAR[word]
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + "s"


def counted(number: int, word: str) -> str:
    """The number with the right form of the word."""
    return f"{number} {word if number == 1 else plural(word)}"
