from shop.core import syllables


def test_simple():
    assert syllables("banana") == 3


def test_silent_e():
    assert syllables("stone") == 1
    assert syllables("Bridge") == 1


def test_at_least_one():
    assert syllables("the") == 1


def test_exception():
    assert syllables("chaos") == 2
