from keep.core import Cache
cache = Cache(2)
cache.put("a", 1)
cache.put("b", 2)
cache.get("a")
cache.put("c", 3)
assert (cache.get("a"), cache.get("b")) == (1, None)
