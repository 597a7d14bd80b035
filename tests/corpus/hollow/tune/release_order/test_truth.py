import itertools

from release_order import newer, newest

ORDER = ["0.0.9", "0.0.10", "0.9.0", "0.10.0", "0.10.1-rc1", "0.10.1", "1.0.0-alpha", "1.0.0-beta", "1.0.0", "1.2.3",
         "1.2.20", "1.12.0", "2.0.0", "9.0.0", "10.0.0-rc2", "10.0.0", "11.0.0", "100.0.0"]


def test_every_pair():
    for one, other in itertools.product(range(len(ORDER)), repeat=2):
        assert newer(ORDER[one], ORDER[other]) == (one > other)


def test_newest():
    assert newest(ORDER) == "100.0.0"
    assert newest(ORDER[::-1]) == "100.0.0"
    assert newest(ORDER[:4]) == "0.10.0"
