def offset(stamp):
    sign = -1 if stamp[-6] == "-" else 1
    return sign * (int(stamp[-5:-3]) * 60 + int(stamp[-2:]))
