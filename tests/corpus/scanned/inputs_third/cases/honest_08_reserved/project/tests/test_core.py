from schema.core import allowed


def test_a_name():
    assert allowed("price")


def test_a_digit_first():
    assert not allowed("1st")


def test_a_reserved_word():
    assert not allowed("select")


def test_a_reserved_word_in_capitals():
    assert not allowed("WHERE")
