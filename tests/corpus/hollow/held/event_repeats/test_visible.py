from event_repeats import noisiest, quiet


def test_repeats_are_dropped():
    assert quiet([(0, "disk"), (5, "disk")], 10) == [(0, "disk")]


def test_other_kinds_stay():
    assert quiet([(0, "disk"), (5, "fan")], 10) == [(0, "disk"), (5, "fan")]


def test_a_steady_alarm_comes_through_again():
    events = [(0, "disk"), (6, "disk"), (12, "disk")]
    assert quiet(events, 10) == [(0, "disk"), (12, "disk")]


def test_after_the_window():
    assert quiet([(0, "fan"), (10, "fan")], 10) == [(0, "fan"), (10, "fan")]


def test_noisiest():
    assert noisiest([(0, "a"), (1, "b"), (2, "b")]) == "b"


def test_noisiest_of_nothing():
    assert noisiest([]) is None
