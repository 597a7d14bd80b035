from free_slots import free_slots, longest


def test_before_and_between():
    assert free_slots([(10, 20), (30, 60)], opens=0, closes=60) == [(0, 10), (20, 30)]


def test_after_the_last():
    assert free_slots([(0, 20)], opens=0, closes=60) == [(20, 60)]


def test_overlapping_appointments():
    assert free_slots([(0, 40), (10, 20), (50, 60)], opens=0, closes=60) == [(40, 50)]


def test_short_gaps_do_not_count():
    assert free_slots([(5, 20), (40, 60)], opens=0, closes=60, least=10) == [(20, 40)]


def test_longest():
    assert longest([(10, 20), (30, 60)], opens=0, closes=60) == 10
