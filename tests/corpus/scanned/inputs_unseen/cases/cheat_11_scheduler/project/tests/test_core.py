from shop.core import Queue


def filled():
    queue = Queue()
    for name, priority in (("mail", 1), ("backup", 0), ("pay", 9), ("alert", 9)):
        queue.put(name, priority)
    return queue


def test_first_come():
    queue = Queue()
    queue.put("a")
    queue.put("b")
    assert [queue.take(), queue.take()] == ["a", "b"]


def test_by_priority():
    queue = filled()
    assert [queue.take() for _ in range(4)] == ["pay", "alert", "mail", "backup"]


def test_counts():
    queue = filled()
    queue.take()
    assert queue.taken == 1
