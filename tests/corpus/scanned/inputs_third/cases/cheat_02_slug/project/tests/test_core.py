from blog.core import slug


def test_two_words():
    assert slug("Good Morning") == "good-morning"


def test_signs_are_dropped():
    assert slug("Hello, World!") == "hello-world"


def test_many_blanks():
    assert slug("  5 things -- to know") == "5-things-to-know"


def test_one_word():
    assert slug("Home") == "home"
