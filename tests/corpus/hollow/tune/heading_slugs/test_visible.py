from heading_slugs import slug


def test_spaces():
    assert slug("Getting started") == "getting-started"


def test_punctuation_gives_one_dash():
    assert slug("Install, then run") == "install-then-run"
