from counted import depth, size


def test_depth():
    assert depth({"a": ("b",), "b": ("c",)}, "a") == 3


def test_size():
    assert size(2, 2) == 6
