from flood import fan_out, reach


def test_reach():
    assert reach(["..#", ".##", "..."], (0, 0)) == 6
    assert reach(["."], (0, 0)) == 1


def test_fan_out():
    assert fan_out("a", {"a": ["b", "c"], "b": ["d"]}) == ["a", "b", "c", "d"]
