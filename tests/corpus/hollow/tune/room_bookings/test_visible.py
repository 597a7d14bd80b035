from room_bookings import busy_minutes, merge_bookings


def test_separate_bookings_stay_separate():
    assert merge_bookings([(600, 660), (540, 570)]) == [(540, 570), (600, 660)]


def test_overlap_is_joined():
    assert merge_bookings([(540, 600), (570, 660)]) == [(540, 660)]


def test_touching_bookings_are_joined():
    assert merge_bookings([(540, 600), (600, 660)]) == [(540, 660)]


def test_a_short_meeting_inside_a_long_one():
    assert merge_bookings([(540, 720), (600, 630)]) == [(540, 720)]


def test_busy_minutes_of_an_empty_day():
    assert busy_minutes([]) == 0
