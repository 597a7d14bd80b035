from keywords import keywords


def test_stop_words_are_left_out():
    assert keywords(["The", "cat", "and", "hat"], ["the", "and"]) == ["cat", "hat"]


def test_nothing_of_nothing():
    assert keywords([], ["a"]) == []
    assert keywords(["a", "b"], []) == ["a", "b"]
