from release_order import newer, newest


def test_patch_releases():
    assert newer("1.4.2", "1.4.1")


def test_ten_is_more_than_nine():
    assert newer("1.10.0", "1.9.0")


def test_candidates_come_before_the_release():
    assert not newer("2.0.0-rc1", "2.0.0")


def test_newest_of_a_list():
    assert newest(["1.2.0", "1.3.0", "1.1.9"]) == "1.3.0"
