from fuzzy.distance import distance


def suggest(word, vocabulary):
    if not vocabulary:
        return None
    best = min(vocabulary, key=lambda v: (distance(word, v), v))
    return best if distance(word, best) <= 2 else None
