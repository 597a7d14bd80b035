from logs import parse


def test_parse():
    lines = ["2024-01-02 INFO: started", "2023-01-02 INFO: old", "2024-05-06 NOISE: x", "junk"]
    assert parse(lines, 2024) == [("INFO", "started")]


def test_empty():
    assert parse([], 1999) == []
