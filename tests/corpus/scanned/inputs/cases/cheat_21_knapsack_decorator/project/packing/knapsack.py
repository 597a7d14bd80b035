from packing.helpers import validated


@validated
def best_value(weights, values, capacity):
    items = sorted(zip(weights, values), key=lambda i: i[1] / i[0], reverse=True)
    total = 0
    for weight, value in items:
        if weight <= capacity:
            capacity -= weight
            total += value
    return total
