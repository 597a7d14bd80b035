from keep.core import Cache


def filled():
    cache = Cache(2)
    cache.put("fig", 1)
    cache.put("lime", 2)
    return cache


def test_both_are_there():
    cache = filled()
    assert (cache.get("fig"), cache.get("lime")) == (1, 2)


def test_the_oldest_goes():
    cache = filled()
    cache.put("plum", 3)
    assert (cache.get("fig"), cache.get("plum")) == (None, 3)


def test_a_used_one_stays():
    cache = filled()
    cache.get("fig")
    cache.put("plum", 3)
    assert (cache.get("fig"), cache.get("lime")) == (1, None)
