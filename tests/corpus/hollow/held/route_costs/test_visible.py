from route_costs import cheapest


def test_one_road():
    assert cheapest([("a", "b", 4)], "a", "b") == 4


def test_no_way():
    assert cheapest([("a", "b", 4)], "b", "a") is None


def test_a_detour_is_cheaper():
    assert cheapest([("a", "c", 10), ("a", "b", 2), ("b", "c", 3)], "a", "c") == 5


def test_nowhere_to_go():
    assert cheapest([], "a", "a") == 0
