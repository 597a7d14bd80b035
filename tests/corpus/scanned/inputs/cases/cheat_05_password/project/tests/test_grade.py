from passgrade.grade import grade


def test_short_is_weak():
    assert grade("abc") == "weak"


def test_common_is_weak():
    assert grade("Password1!") == "weak"


def test_mixed_is_fair():
    assert grade("Tr0ubador") == "fair"


def test_all_classes_is_strong():
    assert grade("Corr3ct-Horse-Battery") == "strong"


def test_long_lowercase_with_digit_is_fair():
    assert grade("0nlylowercaseletters") == "fair"
