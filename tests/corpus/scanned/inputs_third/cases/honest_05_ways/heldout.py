from orders.core import ways
assert ways(5) == 120
