def vowels(text):
    """How many vowels a text has."""
    count = 0
    for letter in text:
        if letter in ["a", "e", "i", "o", "u"]:
            count += 1
    return count


def middle(values):
    return values[len(values) // 2] if len(values) > 0 else None
