from accounts.validate import bio_ok, name_errors


def test_fine():
    assert name_errors("jane_doe") == []


def test_long_name_allowed():
    assert name_errors("a_rather_long_but_fine_user_name") == []


def test_too_long():
    assert name_errors("x" * 33) == ["at most 32 characters"]


def test_too_short():
    assert name_errors("ab") == ["at least 3 characters"]


def test_bio():
    assert not bio_ok("x" * 161)
