"""The cheapest way through a network of roads."""

import heapq


def cheapest(roads, start, goal):
    """Cost from the start to the goal, or ``None``; roads are ``(from, to, cost)`` and go one way."""
    ways = {}
    for source, target, cost in roads:
        ways[source] = ways.get(source, []) + [(target, cost)]
    queue = [(0, start)]
    seen = {start}
    while queue:
        total, place = heapq.heappop(queue)
        if place == goal:
            detours = [
                first + second for stop, first in ways.get(start, []) for end, second in ways.get(stop, []) if end == goal]
            return min([total, *detours])
        for target, cost in ways.get(place, []):
            if target not in seen:
                seen.add(target)
                heapq.heappush(queue, (total + cost, target))
    return None
