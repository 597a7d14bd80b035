from lengths.units import METRES


def convert(x, source, target):
    for unit in (source, target):
        if unit not in METRES:
            raise ValueError("unknown unit: " + unit)
    return x * METRES[source] / METRES[target]
