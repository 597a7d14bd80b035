from partial import wrapped


def test_wrapped():
    lines = []
    wrapped(["aa", "bb", "cc"], 5, lines.append)
    assert lines == ["aa bb", "cc"]
