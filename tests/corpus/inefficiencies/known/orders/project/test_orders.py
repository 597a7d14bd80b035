from orders import with_names

CUSTOMERS = [{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bob"}]


def test_names():
    orders = [{"number": 10, "customer": 2}, {"number": 11, "customer": 1}, {"number": 12, "customer": 9}]
    assert with_names(orders, CUSTOMERS) == [(10, "Bob"), (11, "Ann")]


def test_the_same_id_twice():
    twice = CUSTOMERS + [{"id": 1, "name": "Anna"}]
    assert with_names([{"number": 5, "customer": 1}], twice) == [(5, "Ann"), (5, "Anna")]
