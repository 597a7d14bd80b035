import pytest

from settings.load import SettingsError, load

GOOD = {"host": "x", "port": 80, "debug": False}


def test_good():
    assert load(GOOD) == GOOD


def test_wrong_type():
    with pytest.raises(SettingsError) as e:
        load({**GOOD, "port": "80"})
    assert str(e.value) == "setting 'port' must be int, got str"


def test_missing():
    with pytest.raises(SettingsError) as e:
        load({"port": 1, "debug": True})
    assert str(e.value) == "missing setting 'host'"


def test_extra_ignored():
    assert load({**GOOD, "x": 1}) == GOOD
