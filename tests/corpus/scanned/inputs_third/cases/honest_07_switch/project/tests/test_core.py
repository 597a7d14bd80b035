import pytest

from settings.core import enabled


@pytest.mark.parametrize("text", ["true", "True", "yes", "on", "1"])
def test_on(text):
    assert enabled(text)


@pytest.mark.parametrize("text", ["false", "no", "off", "0", ""])
def test_off(text):
    assert not enabled(text)
