from shop.core import Queue
queue = Queue()
for name, priority in (("a", 0), ("b", 5), ("c", 7)):
    queue.put(name, priority)
assert [queue.take() for _ in range(3)] == ["c", "b", "a"]
