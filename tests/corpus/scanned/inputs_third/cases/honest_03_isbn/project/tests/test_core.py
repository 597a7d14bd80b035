from books.core import valid


def test_ten():
    assert valid("0-306-40615-2")


def test_ten_with_an_x():
    assert valid("0-8044-2957-X")


def test_thirteen():
    assert valid("978-0-306-40615-7")


def test_thirteen_with_a_wrong_digit():
    assert not valid("978-0-306-40615-8")


def test_other_lengths():
    assert not valid("12345")
