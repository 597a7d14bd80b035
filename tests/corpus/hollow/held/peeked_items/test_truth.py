import itertools

from peeked_items import Peeking


def test_all_items():
    for values in itertools.product((None, 0, "", 7, [], False), repeat=3):
        for plan in itertools.product((0, 1, 2), repeat=3):
            items, taken = Peeking(list(values)), []
            for peeks, value in zip(plan, values):
                for _ in range(peeks):
                    assert items.peek("end") is value
                taken.append(next(items, "end"))
            assert taken == list(values)
            assert items.peek("end") == "end"
