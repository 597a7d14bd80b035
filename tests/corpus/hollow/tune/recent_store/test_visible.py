from recent_store import RecentStore


def test_missing_value():
    assert RecentStore(2).get("a", 0) == 0


def test_oldest_goes():
    store = RecentStore(2)
    store.put("a", 1)
    store.put("b", 2)
    store.put("c", 3)
    assert store.keys() == ["b", "c"]


def test_reading_keeps_a_value():
    store = RecentStore(2)
    store.put("a", 1)
    store.put("b", 2)
    assert store.get("a") == 1
    store.put("c", 3)
    assert store.keys() == ["a", "c"]


def test_overwriting_needs_no_room():
    store = RecentStore(2)
    store.put("a", 1)
    store.put("b", 2)
    store.put("b", 3)
    assert store.get("a") == 1
