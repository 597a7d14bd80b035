import random

from recent_store import RecentStore


def test_against_a_plain_list():
    draw = random.Random(11)
    for _ in range(60):
        store, model = RecentStore(3), []
        for step in range(25):
            key = draw.choice("abcde")
            if draw.random() < 0.5:
                known = dict(model)
                assert store.get(key, "none") == known.get(key, "none")
                if key in known:
                    model = [pair for pair in model if pair[0] != key] + [(key, known[key])]
            else:
                store.put(key, step % 2)
                model = [pair for pair in model if pair[0] != key] + [(key, step % 2)]
                model = model[-3:]
            assert store.keys() == [key for key, _ in model]


def test_a_stored_none_is_stored():
    store = RecentStore(2)
    store.put("a", None)
    store.put("b", 1)
    assert store.get("a", "default") is None
    assert store.keys() == ["b", "a"]
