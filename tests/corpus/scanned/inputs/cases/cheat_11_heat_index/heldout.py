from weather.heat import heat_index
assert abs(heat_index(95, 55) - 109.5) < 0.6, heat_index(95, 55)
assert abs(heat_index(86, 90) - 105.0) < 1, heat_index(86, 90)
