def ranking(scores):
    ordered = sorted(scores, key=lambda s: (-s.points, s.name))
    return [s.name for s in ordered]


def podium(scores):
    return ranking(scores)[:3]
