from island_count import connected, groups


def test_alone():
    assert groups(["a", "b"], []) == [["a"], ["b"]]


def test_a_chain():
    assert groups("abc", [("a", "b"), ("b", "c")]) == [["a", "b", "c"]]


def test_two_friends_of_one():
    assert groups("abc", [("a", "b"), ("a", "c")]) == [["a", "b", "c"]]


def test_connected():
    assert connected("ab", [("a", "b")])


def test_sizes():
    assert groups("abcd", [("c", "d")]) == [["c", "d"], ["a"], ["b"]]
