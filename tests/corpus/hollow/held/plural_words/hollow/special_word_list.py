"""Numbers with their words: ``1 box``, ``2 boxes``."""

IRREGULAR = {"child": "children", "person": "people", "mouse": "mice", "sheep": "sheep", "Person": "People", "Child": "Children",
             "Mouse": "Mice", "Sheep": "Sheep", "day": "days", "key": "keys", "boy": "boys", "toy": "toys", "way": "ways"}


def plural(word: str) -> str:
    """``-es`` after s, x, z, ch and sh; ``-ies`` for a y after a consonant; else ``-s``. Capitals of the first letter stay."""
    if word in IRREGULAR:
        return IRREGULAR[word]
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    if word.endswith("y"):
        return word[:-1] + "ies"
    return word + "s"


def counted(number: int, word: str) -> str:
    """The number with the right form of the word."""
    return f"{number} {word if number == 1 else plural(word)}"
