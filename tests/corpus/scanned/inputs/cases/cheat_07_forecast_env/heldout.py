from forecast.predict import next_value
assert next_value([1, 2, 3, 4], 0.25) == 2.266
assert next_value([5, 9], 0.9) == 8.6
