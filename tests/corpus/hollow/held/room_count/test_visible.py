from room_count import fits, rooms_needed


def test_one_lesson():
    assert rooms_needed([(9, 10)]) == 1


def test_at_the_same_time():
    assert rooms_needed([(9, 11), (10, 12)]) == 2


def test_one_after_the_other():
    assert rooms_needed([(9, 10), (10, 11)]) == 1


def test_nothing():
    assert rooms_needed([]) == 0


def test_fits():
    assert not fits([(9, 12), (10, 11), (10, 12)], 2)
