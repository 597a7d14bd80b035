from wordcount.count import count_words
from wordcount.reading import reading_minutes


def test_plain():
    assert count_words("one two three") == 3


def test_apostrophes_and_hyphens():
    assert count_words("I don't like well-known jokes") == 5


def test_numbers_do_not_count():
    assert count_words("In 1999 there were 12 of us") == 5


def test_reading():
    assert reading_minutes("word " * 201) == 2


def test_empty():
    assert count_words("") == 0
