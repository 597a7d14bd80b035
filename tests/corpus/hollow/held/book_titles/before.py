"""Titles of books with capital letters."""

SMALL = {"a", "an", "and", "at", "but", "by", "for", "in", "of", "on", "or", "the", "to"}


def title(text: str) -> str:
    """Every word with a capital, small words without, but for the first and the last word, which always have one."""
    words = []
    for word in text.lower().split():
        if word in SMALL:
            words.append(word)
        else:
            words.append(word.capitalize())
    return " ".join(words)


def shelf_key(text: str) -> str:
    """What it is sorted by: without a leading article."""
    first, _, rest = text.lower().partition(" ")
    return rest if first in ("a", "an", "the") and rest else text.lower()
