from password_rules import complaints


def test_good():
    assert complaints("horse7staple") == []


def test_short():
    assert complaints("a1") == ["short"]


def test_digits_only():
    assert complaints("1234567890") == ["no letter"]


def test_common_word_with_a_digit():
    assert complaints("password12") == ["common"]


def test_common_word_in_capitals():
    assert complaints("PASSWORD12") == ["common"]


def test_name():
    assert complaints("annsecret77", "ann") == ["name"]


def test_no_digit():
    assert complaints("horsestaple") == ["no digit"]


def test_several_complaints():
    assert complaints("abc") == ["short", "no digit"]
