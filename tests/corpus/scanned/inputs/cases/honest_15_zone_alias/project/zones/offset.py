from zones.table import OFFSETS


def offset(name):
    key = name.strip().upper()
    if key not in OFFSETS:
        raise LookupError(name)
    return OFFSETS[key]


def iso(name):
    minutes = offset(name)
    sign = "-" if minutes < 0 else "+"
    return "%s%02d:%02d" % (sign, abs(minutes) // 60, abs(minutes) % 60)
