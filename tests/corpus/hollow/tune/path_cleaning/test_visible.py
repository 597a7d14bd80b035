from path_cleaning import clean


def test_dots_and_slashes():
    assert clean("/a/./b//c/") == "/a/b/c"


def test_parent():
    assert clean("/a/b/../c") == "/a/c"


def test_above_the_root():
    assert clean("/../a") == "/a"


def test_relative():
    assert clean("a/..") == "."
