from clock.core import seconds


def test_seconds():
    assert seconds("45s") == 45


def test_hours():
    assert seconds("2h") == 7200


def test_hours_and_minutes():
    assert seconds("1h30m") == 5400


def test_minutes_and_seconds():
    text = "10m" + "30s"
    assert seconds(text) == 630


def test_no_unit():
    assert seconds("12") == 0
