from secret_letters import shift


def test_one_letter_key():
    assert shift("abc xyz", "b") == "bcd yza"


def test_capitals():
    assert shift("Hello", "abc") == "Hfnlp"


def test_there_and_back():
    assert shift(shift("Attack at dawn!", "lemon"), "lemon", back=True) == "Attack at dawn!"


def test_spaces_take_no_key():
    assert shift("aa aa", "abc") == "ab ca"
