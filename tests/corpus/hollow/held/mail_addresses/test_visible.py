import pytest
from mail_addresses import normal, same


def test_case_and_spaces():
    assert normal(" Ann@Shop.Test ") == "ann@shop.test"


def test_dots():
    assert same("a.n.n@example.com", "ann@example.com")


def test_dots_elsewhere():
    assert not same("a.n.n@shop.test", "ann@shop.test")


def test_tags():
    assert same("ann+news@shop.test", "ann@shop.test")


def test_no_host():
    with pytest.raises(ValueError):
        normal("ann")
