from book_titles import title


def test_small_words_inside():
    assert title("war and peace") == "War and Peace"


def test_first_word():
    assert title("the old man and the sea") == "The Old Man and the Sea"
