from orders.order import Order
assert Order("shipped").move("refunded").final
try:
    Order("refunded").move("paid")
except ValueError:
    pass
else:
    raise AssertionError
