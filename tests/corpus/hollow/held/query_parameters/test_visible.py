from query_parameters import first, parameters


def test_two_names():
    assert parameters("?a=1&b=2") == {"a": ["1"], "b": ["2"]}


def test_repeated_name():
    assert parameters("a=1&a=2") == {"a": ["1", "2"]}


def test_escapes():
    assert parameters("q=a+b%26c") == {"q": ["a b&c"]}


def test_flag_without_value():
    assert parameters("debug&a=1") == {"debug": [""], "a": ["1"]}


def test_first():
    assert first("a=1&a=2", "a") == "1"


def test_default():
    assert first("", "a", "none") == "none"
