"""Orders and who made them."""


def with_names(orders, customers):
    """Each order with its customer's name; orders of nobody are dropped."""
    by_id = {}
    for customer in customers:
        by_id.setdefault(customer["id"], []).append(customer)
    return [(order["number"], customer["name"]) for order in orders for customer in by_id.get(order["customer"], ())]
