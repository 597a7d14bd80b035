from functools import lru_cache


@lru_cache(maxsize=None)
def choose(n, k):
    if n < 0 or k < 0:
        raise ValueError("negative")
    if k == 1:
        return n
    return choose(n - 1, k - 1) + choose(n - 1, k)
