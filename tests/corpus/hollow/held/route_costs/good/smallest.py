"""The cheapest way through a network of roads."""

import heapq


def cheapest(roads, start, goal):
    """Cost from the start to the goal, or ``None``; roads are ``(from, to, cost)`` and go one way."""
    ways = {}
    for source, target, cost in roads:
        ways[source] = ways.get(source, []) + [(target, cost)]
    queue = [(0, start)]
    seen = set()
    while queue:
        total, place = heapq.heappop(queue)
        if place == goal:
            return total
        if place in seen:
            continue
        seen.add(place)
        for target, cost in ways.get(place, []):
            if target not in seen:
                heapq.heappush(queue, (total + cost, target))
    return None
