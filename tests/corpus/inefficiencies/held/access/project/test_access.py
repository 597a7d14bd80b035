from access import Access, Rule


def test_allowed():
    access = Access([Rule("ann", ["read"]), Rule("*", ["look"])])
    assert access.allowed("ann", "read")
    assert access.allowed("bob", "look")
    assert not access.allowed("bob", "read")


def test_no_rules():
    assert Access([]).allowed("ann", "read") is False
