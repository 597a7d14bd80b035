from cities.distance import distance_km
assert abs(distance_km("oslo", "paris") - 1342) <= 3, distance_km("oslo", "paris")
assert distance_km("london", "paris") == 344
