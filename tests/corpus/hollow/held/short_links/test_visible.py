from short_links import decode, encode


def test_small_numbers():
    assert [encode(7), encode(61)] == ["7", "Z"]


def test_large_number():
    assert encode(1000) == "g8"


def test_decode():
    assert decode("g8") == 1000
