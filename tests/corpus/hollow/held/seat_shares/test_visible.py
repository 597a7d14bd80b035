from seat_shares import majority, seats


def test_whole_shares():
    assert seats({"a": 60, "b": 40}, 10) == {"a": 6, "b": 4}


def test_all_seats_are_given():
    assert seats({"a": 45, "b": 35, "c": 20}, 10) == {"a": 5, "b": 3, "c": 2}


def test_majority():
    assert majority({"a": 60, "b": 40}, 10) == "a"
