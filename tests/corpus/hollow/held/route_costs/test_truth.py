import random

from route_costs import cheapest


def expected(roads, start, goal, places):
    costs = {start: 0}
    for _ in places:
        for source, target, cost in roads:
            if source in costs and costs[source] + cost < costs.get(target, 10**9):
                costs[target] = costs[source] + cost
    return costs.get(goal)


def test_random_networks():
    draw = random.Random(8)
    places = "abcdefg"
    for _ in range(250):
        roads = [(draw.choice(places), draw.choice(places), draw.randrange(1, 15)) for _ in range(draw.randrange(18))]
        for goal in "cg":
            assert cheapest(roads, "a", goal) == expected(roads, "a", goal, places)
