from tally import tally, winner


def test_tally():
    assert tally(["x", "y", "x"]) == {"x": 2, "y": 1}
    assert list(tally(["b", "a", "b"])) == ["b", "a"]


def test_winner():
    assert winner(["x", "y", "x"]) == "x"
    assert winner([]) is None
