from visitors import first_visits


def test_first_visits():
    assert first_visits([(3, "ann"), (1, "bob"), (2, "ann"), (4, "bob")]) == ["bob", "ann"]
    assert first_visits([]) == []
