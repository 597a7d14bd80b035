"""Keywords of a text."""


def keywords(words, stop_words):
    """The words that are not stop words, in order."""
    stop_words = set(stop_words)
    return [word for word in words if word.lower() not in stop_words]
