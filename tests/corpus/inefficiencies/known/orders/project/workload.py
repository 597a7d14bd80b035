from orders import with_names

customers = [{"id": at, "name": f"name {at}"} for at in range(1200)]
orders = [{"number": at, "customer": at * 7 % 1500} for at in range(1500)]
found = with_names(orders, customers)
print(len(found), hash(tuple(number for number, _ in found)))
