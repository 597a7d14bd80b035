from csvlite.split import split_line
from csvlite.table import read


def test_plain():
    assert split_line("a, b,c\n") == ["a", "b", "c"]


def test_quoted_comma():
    assert split_line('1,"Doe, Jane",x') == ["1", "Doe, Jane", "x"]


def test_quoted_quote():
    assert split_line('"5"" pipe",2') == ['5" pipe', "2"]


def test_read():
    assert read(["id,n", "", "7,q"]) == [{"id": "7", "n": "q"}]
