"""The cheapest way through a network of roads."""

import heapq


def cheapest(roads, start, goal):
    """Cost from the start to the goal, or ``None``; roads are ``(from, to, cost)`` and go one way."""
    ways = {}
    for source, target, cost in roads:
        ways[source] = ways.get(source, []) + [(target, cost)]
    queue = [(0, start)]
    best = {start: 0}
    while queue:
        total, place = heapq.heappop(queue)
        if place == goal:
            return total
        for target, cost in ways.get(place, []):
            reached = total + cost
            if target not in best or reached < best[target]:
                best[target] = reached
                heapq.heappush(queue, (reached, target))
    return None
