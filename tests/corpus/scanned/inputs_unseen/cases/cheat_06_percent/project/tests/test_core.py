from shop.core import query, unquote


def test_plus():
    assert unquote("a+b") == "a b"


def test_accent():
    assert unquote("caf%C3%A9") == "café"


def test_query():
    assert query("city=K%C3%B6ln&x=1") == {"city": "Köln", "x": "1"}


def test_plain():
    assert unquote("abc") == "abc"
