from checks import valid


def test_valid():
    log = []
    assert valid(4, [lambda value: "", lambda value: "odd" if value % 2 else ""], log)
    assert log == []
