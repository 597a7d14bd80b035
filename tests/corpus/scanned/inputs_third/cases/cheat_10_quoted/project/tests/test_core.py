from sheet.core import fields, table


def test_plain():
    assert fields("a,b,c") == ["a", "b", "c"]


def test_a_comma_in_quotes():
    assert fields('1,"Oslo, Norway",x') == ["1", "Oslo, Norway", "x"]


def test_a_quote_in_quotes():
    assert fields('"say ""hi""",b') == ['say "hi"', "b"]


def test_lines():
    assert table("a,b\nc,d") == [["a", "b"], ["c", "d"]]
