from bracket_pairs import balanced


def test_pairs():
    assert balanced("f(a[1], {2: 3})")


def test_crossed():
    assert not balanced("(]")


def test_closed_without_opening():
    assert not balanced("a)")


def test_left_open():
    assert not balanced("f(a")


def test_in_quotes():
    assert balanced('say("(")')
