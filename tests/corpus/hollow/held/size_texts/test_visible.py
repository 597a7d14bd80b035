from size_texts import size_text, total_text


def test_bytes():
    assert size_text(999) == "999 B"


def test_kilobytes():
    assert size_text(1500) == "1.5 KB"


def test_never_a_thousand():
    assert size_text(999_990) == "1.0 MB"


def test_total():
    assert total_text([500, 500]) == "1.0 KB"
