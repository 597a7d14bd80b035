from growing import accepted


def test_blocked_are_left_out():
    assert accepted(["a", "b", "a"], ["b"]) == ["a", "a"]
