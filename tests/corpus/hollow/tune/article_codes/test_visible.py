from article_codes import check_digit, valid


def test_check_digit():
    assert check_digit("400638133393") == 1


def test_valid_code():
    assert valid("4006381333931")


def test_wrong_digit():
    assert not valid("4006381333932")


def test_too_short():
    assert not valid("400638133")


def test_spaces_and_dashes():
    assert valid("4-006381 333931")


def test_check_digit_of_a_round_sum():
    assert valid("5000000000050")
    assert check_digit("500000000005") == 0


def test_letters():
    assert not valid("40063813339x1")


def test_another_valid_code():
    assert valid("9780306406157")
