from parcels.zones import tariff


def quote(weight_kg, zone, dims=(0, 0, 0)):
    if weight_kg <= 0:
        raise ValueError("weight must be positive")
    base, rate = tariff(zone)
    return round(base + rate * weight_kg, 2)
