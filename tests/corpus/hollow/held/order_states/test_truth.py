import itertools

from order_states import Order

NEXT = {
    ("new", "pay"): "paid", ("new", "cancel"): "cancelled", ("paid", "ship"): "shipped", ("paid", "cancel"): "refunded",
    ("shipped", "deliver"): "delivered", ("delivered", "return"): "refunded"}


def test_every_story():
    for story in itertools.product(("pay", "cancel", "ship", "deliver", "return", "nonsense"), repeat=4):
        order, state, history = Order(), "new", ["new"]
        for act in story:
            try:
                order.act(act)
                refused = False
            except ValueError:
                refused = True
            assert refused == ((state, act) not in NEXT)
            if not refused:
                state = NEXT.get((state, act))
                history.append(state)
            assert (order.state, order.history) == (state, history)
