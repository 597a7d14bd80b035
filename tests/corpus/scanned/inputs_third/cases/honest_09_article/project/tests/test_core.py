from words.core import article, phrase


def test_a_vowel():
    assert article("apple") == "an"


def test_a_consonant():
    assert article("pear") == "a"


def test_a_silent_letter():
    assert phrase("hour") == "an hour"


def test_a_sounded_vowel():
    assert phrase("unicorn") == "a unicorn"
