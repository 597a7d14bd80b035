from line_changes import changes, summary


def test_nothing():
    assert summary({"a": 1}, {"a": 1}) == "no change"


def test_kinds():
    assert summary({"a": 1, "b": 2}, {"b": 3, "c": 4}) == "1 added, 1 changed, 1 removed"


def test_by_name():
    assert changes({"b": 1}, {"a": 1}) == [("added", "a"), ("removed", "b")]


def test_type():
    assert changes({"a": 1}, {"a": True}) == [("changed", "a")]
