import pytest

from flags.lookup import enabled


def test_default():
    assert enabled("search_v2") and not enabled("new_checkout")


def test_plan():
    assert enabled("new_checkout", "beta")


def test_dark_mode_on():
    assert enabled("dark_mode")


def test_dark_mode_off_in_kiosk():
    assert not enabled("dark_mode", plan="kiosk")


def test_environment_wins():
    assert not enabled("search_v2", environ={"FLAG_SEARCH_V2": "0"})


def test_unknown():
    with pytest.raises(KeyError):
        enabled("nope")
