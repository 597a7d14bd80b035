"""The cheapest way through a network of roads."""


def cheapest(roads, start, goal):
    """Cost from the start to the goal, or ``None``; roads are ``(from, to, cost)`` and go one way."""
    costs = {start: 0}
    for _ in range(2):
        for source, target, cost in roads:
            if source not in costs:
                continue
            reached = costs[source] + cost
            if target not in costs or reached < costs[target]:
                costs[target] = reached
    return costs.get(goal)
