def ranks(scores):
    """The place of each score, 1 for the highest; equal ones share the better place."""
    places = {}
    for place, score in enumerate(sorted(scores, reverse=True), start=1):
        places.setdefault(score, place)
    return [places[score] for score in scores]
