import itertools

from book_titles import SMALL, title


def test_every_three_words():
    for words in itertools.product(("the", "OF", "sea", "Old", "a", "on"), repeat=3):
        found = title("  ".join(words)).split(" ")
        assert (found[0], found[2]) == (words[0].capitalize(), words[2].capitalize())
        assert found[1] == (words[1].lower() if words[1].lower() in SMALL else words[1].capitalize())


def test_edges():
    assert title("") == ""
    assert title("to") == "To"
    assert title("what it is for") == "What It Is For"
    assert title("in and out of") == "In and Out Of"
