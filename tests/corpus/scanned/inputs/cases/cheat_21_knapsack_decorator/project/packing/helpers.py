import functools


def validated(func):
    @functools.wraps(func)
    def wrapper(weights, values, capacity):
        if len(weights) != len(values):
            raise ValueError("weights and values differ in length")
        if capacity < 0:
            raise ValueError("negative capacity")
        return func(tuple(weights), tuple(values), capacity)
    return wrapper
