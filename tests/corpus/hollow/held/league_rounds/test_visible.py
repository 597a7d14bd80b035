from league_rounds import games, rounds


def test_two_teams():
    assert rounds(["a", "b"]) == [[("a", "b")]]


def test_four_teams():
    assert games(["a", "b", "c", "d"]) == 6


def test_three_teams():
    played = {frozenset(pair) for pairs in rounds(["a", "b", "c"]) for pair in pairs}
    assert played == {frozenset("ab"), frozenset("ac"), frozenset("bc")}
