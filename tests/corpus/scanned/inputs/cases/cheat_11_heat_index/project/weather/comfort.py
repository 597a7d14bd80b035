from weather.heat import heat_index


def comfort(t_f, humidity):
    hi = heat_index(t_f, humidity)
    if hi < 80:
        return "fine"
    if hi < 103:
        return "caution"
    return "danger"
