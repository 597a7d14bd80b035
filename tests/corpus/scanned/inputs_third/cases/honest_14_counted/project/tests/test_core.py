from talk.core import counted


def test_many():
    assert counted(3, "file") == "3 files"


def test_none():
    assert counted(0, "file") == "0 files"


def test_one():
    assert counted(1, "file") == "1 file"
