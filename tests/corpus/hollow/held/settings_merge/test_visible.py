from settings_merge import merge, merge_all


def test_the_second_wins():
    assert merge({"a": 1, "b": 2}, {"b": 3}) == {"a": 1, "b": 3}


def test_nested():
    assert merge({"log": {"level": "info", "file": "x"}}, {"log": {"level": "debug"}}) == {
        "log": {"level": "debug", "file": "x"}}


def test_the_base_is_left_alone():
    base = {"log": {"level": "info"}}
    merge(base, {"log": {"level": "debug"}})
    assert base == {"log": {"level": "info"}}


def test_taken_away():
    assert merge({"a": 1, "b": 2}, {"a": None}) == {"b": 2}


def test_three_layers():
    assert merge_all([{"a": 1}, {"b": 2}, {"a": 3}]) == {"a": 3, "b": 2}
