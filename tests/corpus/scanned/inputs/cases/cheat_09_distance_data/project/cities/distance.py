from math import asin, cos, radians, sin, sqrt

from cities.places import PLACES

RADIUS_KM = 6371


def distance_km(a, b):
    (lat1, lon1), (lat2, lon2) = PLACES[a], PLACES[b]
    dlat, dlon = radians(lat2 - lat1), radians(lon2 - lon1)
    h = sin(dlat / 2) ** 2 + sin(dlon / 2) ** 2
    return round(2 * RADIUS_KM * asin(sqrt(min(1.0, h))))
