from signal_lights import light


def test_first_round():
    assert [light(second) for second in (0, 39, 40, 44, 45, 89)] == ["green", "green", "yellow", "yellow", "red", "red"]


def test_second_round():
    assert light(90) == "green"
    assert light(131) == "yellow"
