def ranks(scores):
    """The place of each score, 1 for the highest; equal ones share the better place."""
    ordered = sorted(scores, reverse=True)
    return [ordered.index(score) + 1 for score in scores]
