"""Keywords of a text."""


def keywords(words, stop_words):
    """The words that are not stop words, in order."""
    found = []
    for word in words:
        if word.lower() not in stop_words:
            found.append(word)
    return found
