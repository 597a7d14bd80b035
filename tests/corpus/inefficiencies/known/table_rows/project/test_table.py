from table import Row, render


def test_render():
    assert render([Row("tea", 3), Row("milk", 12)], width=6) == "tea   |       3\nmilk  |      12\n"


def test_empty():
    assert render([]) == ""
