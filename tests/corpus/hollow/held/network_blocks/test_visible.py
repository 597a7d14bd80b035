from network_blocks import contains, first_match


def test_inside():
    assert contains("10.1.0.0/16", "10.1.200.7")


def test_outside():
    assert not contains("10.1.0.0/16", "10.2.0.0")


def test_single_address():
    assert contains("10.1.2.3", "10.1.2.3")


def test_block_by_an_address_inside():
    assert contains("10.1.2.3/24", "10.1.2.1")


def test_everything():
    assert contains("0.0.0.0/0", "255.255.255.255")


def test_first_match():
    assert first_match(["10.0.0.0/8", "10.1.0.0/16"], "10.1.0.1") == "10.0.0.0/8"
