import itertools

import pytest
from mail_addresses import normal


def test_many_addresses():
    for name, tag, host in itertools.product(("ann", "A.nn", "b.o.b"), ("", "+x", "+news", "+a.b+c", "+"), ("example.com", "Mail.Example", "shop.test", "a.b+c.test")):
        plain = name.lower()
        if host.lower() in ("example.com", "mail.example"):
            plain = plain.replace(".", "")
        assert normal(f"{name}{tag}@{host}") == f"{plain}@{host.lower()}"


@pytest.mark.parametrize("address", ["", "@", "ann@", "@shop.test", "  "])
def test_refused(address):
    with pytest.raises(ValueError):
        normal(address)


def test_a_tag_alone_is_no_name():
    with pytest.raises(ValueError):
        normal("+news@shop.test")
