from shop.core import humanize
assert humanize(3660) == "1 h 1 min"
