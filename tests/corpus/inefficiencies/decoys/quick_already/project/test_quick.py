from quick import middle, vowels


def test_vowels():
    assert vowels("windtunnel") == 3


def test_middle():
    assert middle([1, 2, 3]) == 2
    assert middle([]) is None
