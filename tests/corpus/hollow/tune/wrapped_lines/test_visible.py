from wrapped_lines import indent, wrap


def test_words():
    assert wrap("the quick brown fox", 10) == ["the quick", "brown fox"]


def test_exact_width():
    assert wrap("ab cd", 5) == ["ab cd"]


def test_long_word():
    assert wrap("abcdefgh", 5) == ["abcde", "fgh"]


def test_indent():
    assert indent("a b", 5) == "    a\n    b"
