from thermo import constants as c

TO_C = {
    "C": lambda v: v,
    "F": lambda v: (v - c.FAHRENHEIT_OFFSET) / c.FAHRENHEIT_RATIO,
    "K": lambda v: v - c.KELVIN_OFFSET,
}
FROM_C = {
    "C": lambda v: v,
    "F": lambda v: v * c.FAHRENHEIT_RATIO + c.FAHRENHEIT_OFFSET,
    "K": lambda v: v + c.KELVIN_OFFSET,
}


def convert(value, source, target):
    return round(FROM_C[target](TO_C[source](value)), 2)
